/** One server: what it may reach, read and write, its state, its tools with what they do, a call by hand, and its log. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ServerDetails } from '../../../api/servers.ts'
import { exampleOf, tryInChat } from '../examples.ts'
import { useLive } from '../live.ts'
import { Account, Card, Foreign, Shown, StateBadge } from '../parts/basics.tsx'
import { Marks } from '../parts/marks.tsx'
import { CordonView } from '../server/cordon-view.tsx'
import { EgressView } from '../server/egress-view.tsx'
import { Inspector } from '../server/inspector.tsx'
import { ProtocolLog } from '../server/protocol-log.tsx'
import { ServerLog } from '../server/server-log.tsx'
import { ToolChanges } from '../server/tool-changes.tsx'
import { ToolList } from '../server/tool-list.tsx'
import { VersionView } from '../server/version-view.tsx'
import { addressOf } from '../place.ts'
import { ask } from '../ask.ts'
import { attempt, tellDone } from '../toasts.ts'

const MEMORY_MS = 5000

export function ServerPage({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('mcp.show', { server }, ['servers', 'setup', 'notices', 'egress'])
  // Memory changes without an event.
  useEffect(() => {
    const timer = setInterval(() => {
      if (!document.hidden) void live.reload()
    }, MEMORY_MS)
    return () => clearInterval(timer)
  }, [server])
  return (
    <>
      <p>
        <a href={addressOf('servers')}>All servers</a>
      </p>
      <Shown live={live} what="the server">
        {(details) => (
          <>
            <Head details={details} onChanged={() => void live.reload()} />
            {details.state.quarantined + (details.state.held ?? 0) > 0 && (
              <ToolChanges server={server} onAccepted={() => void live.reload()} />
            )}
            <CordonView details={details} />
            <EgressView details={details} />
            <Card title="What its tools do">
              <Marks server={server} />
            </Card>
            <ToolList server={server} />
            <Inspector server={server} />
            <ProtocolLog server={server} />
            <VersionView details={details} onUpgraded={() => void live.reload()} />
            <ServerLog server={server} />
          </>
        )}
      </Shown>
    </>
  )
}

interface DetailsProps {
  readonly details: ServerDetails
}

function Head({
  details,
  onChanged,
}: DetailsProps & { readonly onChanged: () => void }): JSX.Element {
  const { server, name, state, description } = details
  const example = exampleOf(details)
  const act = (route: 'mcp.start' | 'mcp.stop' | 'mcp.restart', done: string): void =>
    void attempt(async () => {
      await ask(route, { server })
      tellDone(done)
    }).then(onChanged)
  return (
    <section class="card" aria-label={name}>
      <div class="card-head">
        <h1>
          <Foreign text={name} />
        </h1>
        <StateBadge badge={state.badge} />
      </div>
      {description !== '' && (
        <p class="muted">
          <Foreign text={description} />
        </p>
      )}
      {state.reason !== undefined && <p class="reason">{state.reason}</p>}
      {details.account !== undefined && (
        <p>
          Connected as <Account name={details.account} />
        </p>
      )}
      <p class="answers">
        {state.badge === 'connected' ? (
          <>
            {example !== undefined && (
              <button type="button" onClick={() => tryInChat(example)}>
                Ask it something
              </button>
            )}
            <button type="button" class="quiet" onClick={() => act('mcp.restart', 'Restarted.')}>
              Restart
            </button>
            <button type="button" class="quiet" onClick={() => act('mcp.stop', 'Stopped.')}>
              Stop
            </button>
          </>
        ) : (
          <button type="button" onClick={() => act('mcp.start', 'Started.')}>
            Test connection
          </button>
        )}
      </p>
    </section>
  )
}
