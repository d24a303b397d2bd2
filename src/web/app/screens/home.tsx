/**
 * Home is a chain: a server, its credential, a test, a chat, a first answer. It always shows one next step; below it, what needs
 * attention, what ran and what was blocked.
 */
import type { JSX } from 'preact'
import type { Output } from '../../../api/contract.ts'
import { useLive } from '../live.ts'
import { inWords } from '../in-words.ts'
import { Account, Badge, Card, Foreign, plural, Prose, Shown, Time } from '../parts/basics.tsx'
import { Chain } from '../parts/chain.tsx'
import { DaysPlot } from '../parts/days-plot.tsx'
import { Notices } from '../parts/notices.tsx'
import { OpenApprovals } from '../parts/open-approvals.tsx'
import { addressOf } from '../place.ts'

export function Home(): JSX.Element {
  const status = useLive('status', {}, ['vault', 'servers', 'kernel', 'notices'])
  const listing = useLive('mcp.list', {}, ['servers', 'setup'])
  const history = useLive('memory.history', { limit: 1 }, ['call', 'memory'])
  const clients = useLive('clients.list', {}, [])
  const hasTalked = (history.data.value?.turns.length ?? 0) > 0
  const hasClient = (clients.data.value?.clients.length ?? 0) > 0
  return (
    <>
      <h1>Home</h1>
      <Shown live={listing} what="servers">
        {(data) => <Chain servers={data.servers} hasTalked={hasTalked} hasClient={hasClient} />}
      </Shown>
      <OpenApprovals />
      <Notices />
      <Recent />
      <Tokens />
      <Shown live={status} what="the state">
        {(data) => <State status={data} />}
      </Shown>
    </>
  )
}

const PLOTTED_DAYS = 14

function Recent(): JSX.Element {
  const days = useLive('audit.daily', { days: PLOTTED_DAYS }, ['call', 'egress'])
  const calls = useLive('audit.search', { kind: 'call.begin', limit: 8 }, ['call'])
  const blocked = useLive('audit.search', { kind: 'egress.blocked', limit: 200 }, ['egress'])
  return (
    <div class="columns">
      <Card title="What ran" aside={<a href={addressOf('audit')}>All of it</a>}>
        {days.data.value && <DaysPlot days={days.data.value.days} />}
        <Shown live={calls} what="calls">
          {({ records }) =>
            records.length === 0 ? (
              <p class="muted">Nothing yet.</p>
            ) : (
              <ul class="rows">
                {records.toReversed().map(({ seq, at, subject = '' }) => (
                  <li key={seq}>
                    <Time iso={at} /> <Foreign text={subject} />
                  </li>
                ))}
              </ul>
            )
          }
        </Shown>
      </Card>
      <Card title="What was blocked">
        <Shown live={blocked} what="blocked hosts">
          {({ records }) => <Blocked subjects={records.map(({ subject = '' }) => subject)} />}
        </Shown>
      </Card>
    </div>
  )
}

/** A bar for each server: how often it asked for a host that it may not reach. */
function Blocked({ subjects }: { readonly subjects: readonly string[] }): JSX.Element {
  if (subjects.length === 0) return <p class="muted">No server tried to reach a host it may not.</p>
  const counts = [...Map.groupBy(subjects, (subject) => subject)]
    .map(([subject, all]) => [subject, all.length] as const)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, 6)
  const most = Math.max(...counts.map(([, n]) => n))
  return (
    <ul class="bars">
      {counts.map(([subject, n]) => (
        <li key={subject}>
          <Foreign text={subject} />
          <meter class="bad" min={0} max={most} value={n} aria-label={`${n} times`} />
          <span>{n}</span>
        </li>
      ))}
    </ul>
  )
}

function Tokens(): JSX.Element | null {
  const live = useLive('auth.status', {}, ['setup', 'vault'])
  const tokens = live.data.value?.tokens ?? []
  if (tokens.length === 0) return null
  return (
    <Card title="Sign-ins">
      <ul class="rows">
        {tokens.map(({ name, account, expiresAt }) => (
          <li key={name}>
            <code>{name}</code>
            {account !== undefined && (
              <span>
                as <Account name={account} />
              </span>
            )}
            {expiresAt !== undefined && expiresAt !== null && (
              <span class="muted">
                {Date.parse(expiresAt) < Date.now() ? 'expired' : 'expires'} {inWords(expiresAt)}
              </span>
            )}
          </li>
        ))}
      </ul>
    </Card>
  )
}

const VAULT = {
  absent: ['None', 'It is made with your first credential.'],
  locked: [
    'Locked',
    'Servers that need a secret wait for it. Run `cordon vault unlock` to open it.',
  ],
  unlocked: ['Open', ''],
} as const

function State({ status }: { readonly status: Output<'status'> }): JSX.Element {
  const { vault, auditDamage, version, store, home } = status
  const [word, hint] = VAULT[vault.state]
  return (
    <Card title="Status">
      <dl class="facts">
        <div>
          <dt>Vault</dt>
          <dd>
            <Badge tone={vault.state} text={word} />
            <Prose text={hint === '' ? `Holds ${plural(vault.secrets, 'secret')}.` : hint} />
          </dd>
        </div>
        <div>
          <dt>Version</dt>
          <dd>
            {version}, {store}
          </dd>
        </div>
        <div>
          <dt>Home</dt>
          <dd>
            <code>{home}</code>
          </dd>
        </div>
      </dl>
      {auditDamage !== null && (
        <div class="alarm" role="alert">
          <Prose
            text={`The audit log takes no records. ${auditDamage}. Run \`cordon audit verify\`.`}
          />
        </div>
      )}
      {vault.warnings.length > 0 && (
        <ul class="warnings">
          {vault.warnings.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </Card>
  )
}
