/** The servers: the list, one server, or connecting another one, by the address of the screen. */
import type { JSX } from 'preact'
import type { ServerSummary } from '../../../api/servers.ts'
import { useLive } from '../live.ts'
import { Card, Foreign, plural, Prose, Shown, StateBadge } from '../parts/basics.tsx'
import { addressOf, place } from '../place.ts'
import { ask } from '../ask.ts'
import { attempt } from '../toasts.ts'
import { AddServer } from './add-server.tsx'
import { ServerPage } from './server-page.tsx'

export function Servers(): JSX.Element {
  const [which] = place.value.rest
  if (which === 'add') return <AddServer />
  if (which !== undefined && which !== '') return <ServerPage key={which} server={which} />
  return <List />
}

function List(): JSX.Element {
  const live = useLive('mcp.list', {}, ['servers', 'setup', 'notices'])
  return (
    <>
      <div class="card-head">
        <h1>Servers</h1>
        <a class="button" href={addressOf('servers', 'add')}>
          + Connect
        </a>
      </div>
      <Shown live={live} what="servers">
        {({ servers, problems, untrusted }) => (
          <>
            {servers.length === 0 && (
              <Card title="None yet">
                <p>
                  Connect one that Cordon knows, paste an <code>npx</code> line or an address, or
                  bring those of another program with <code>cordon mcp migrate</code>.
                </p>
              </Card>
            )}
            <ul class="servers">
              {servers.map((summary) => (
                <Item key={summary.server} summary={summary} onChanged={() => void live.reload()} />
              ))}
            </ul>
            {problems.length > 0 && (
              <Card title="Files that could not be read">
                <ul class="warnings">
                  {problems.map(({ path, line, message }) => (
                    <li key={path}>
                      {path}
                      {line === undefined ? '' : `, line ${line}`}: {message}
                    </li>
                  ))}
                </ul>
              </Card>
            )}
            {untrusted && (
              <Card title="Not trusted">
                <p>
                  <code>{untrusted.folder}</code> has servers that take no part:{' '}
                  {untrusted.files.join(', ')}
                </p>
                <Prose text="Read its files, then run `cordon mcp trust` in that folder." />
              </Card>
            )}
          </>
        )}
      </Shown>
    </>
  )
}

function Item({
  summary,
  onChanged,
}: {
  readonly summary: ServerSummary
  readonly onChanged: () => void
}): JSX.Element {
  const { server, name, state, description, notices = [] } = summary
  const isOn = state.badge !== 'disabled'
  const toggle = (): void =>
    void attempt(async () => {
      await ask(isOn ? 'mcp.stop' : 'mcp.start', { server })
    }).then(onChanged)
  const texts = [...summary.warnings, ...notices.map(({ what }) => what)]
  return (
    <li class="card server">
      <div class="card-head">
        <h2>
          <a href={addressOf('servers', server)}>
            <Foreign text={name} />
          </a>
        </h2>
        <StateBadge badge={state.badge} />
      </div>
      {description !== '' && (
        <p class="muted">
          <Foreign text={description} />
        </p>
      )}
      {state.reason !== undefined && <p class="reason">{state.reason}</p>}
      <p class="muted">
        {plural(state.tools, 'tool')}; {summary.label};{' '}
        {summary.allowedDomains.length === 0
          ? 'reaches no host'
          : `reaches ${summary.allowedDomains.join(', ')}`}
        {[...(summary.writePaths ?? [])].map((folder) => `; changes ${folder}`)}
        {[...(summary.readPaths ?? [])].map((folder) => `; reads ${folder}`)}
      </p>
      {texts.length > 0 && (
        <ul class="warnings">
          {texts.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <p class="answers">
        <button type="button" class="quiet" onClick={toggle}>
          {state.badge === 'connected' ? 'Stop' : 'Start'}
        </button>
      </p>
    </li>
  )
}
