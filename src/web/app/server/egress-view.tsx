/** The way out of one server: hosts that it may reach and what passed, hosts that it was kept from, and each record of both. */
import type { JSX } from 'preact'
import type { ServerDetails } from '../../../api/servers.ts'
import type { AuditRecord } from '../../../kernel/audit-record.ts'
import { describeTraffic, type ReachedHost, showPlace } from '../../../text/reached-host.ts'
import { showSize } from '../../../text/show-count.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, plural, Prose, Shown, Time } from '../parts/basics.tsx'

const MOST = 50
/** The rest is folded away. */
const SHOWN = 6

export function EgressView({ details }: { readonly details: ServerDetails }): JSX.Element {
  const { server, allowedDomains: allowed, cordon, state } = details
  const { blockedHosts: blocked = [], reached = [] } = state
  const live = useLive('audit.search', { kind: 'egress.*', subject: server, limit: MOST }, [
    'egress',
  ])
  const silent = allowed.filter((host) => !reached.some((one) => isBelow(one, host)))
  return (
    <Card title="Way out">
      <ul class="hosts" aria-label="Hosts">
        {reached.map((one) => (
          <Reached key={showPlace(one)} reached={one} />
        ))}
        {silent.map((host) => (
          <li key={host}>
            <Badge tone="idle" text="may reach" /> <code>{host}</code>{' '}
            <span class="muted">{cordon === 'remote' ? '' : 'no connection yet'}</span>
          </li>
        ))}
        {allowed.length === 0 && <li class="muted">It may reach no host at all.</li>}
        {blocked.map((host) => (
          <li key={`blocked ${host}`}>
            <Badge tone="error" text="blocked" />{' '}
            <code>
              <Foreign text={host} />
            </code>
          </li>
        ))}
      </ul>
      {blocked.length > 0 && (
        <Prose
          text={`It asked for the blocked hosts since it was started; no connection was made. \`cordon notices allow ${server}:blocked\` lets it through to them, and it can then send them whatever it knows.`}
        />
      )}
      <Shown live={live} what="attempts">
        {({ records }) => <Records records={records} />}
      </Shown>
    </Card>
  )
}

function Reached({ reached }: { readonly reached: ReachedHost }): JSX.Element {
  return (
    <li>
      <Badge tone="connected" text={reached.open > 0 ? 'connected' : 'reached'} />{' '}
      <code>
        <Foreign text={showPlace(reached)} />
      </code>{' '}
      <span class="muted">
        {describeTraffic(reached)}; last <Time iso={reached.lastAt} />
      </span>
    </li>
  )
}

/** Whether a host of the allow-list is the one that was reached, or the wildcard above it. */
function isBelow(reached: ReachedHost, allowed: string): boolean {
  const place = showPlace(reached)
  return allowed.startsWith('*.') ? place.endsWith(allowed.slice(1)) : place === allowed
}

function Records({ records }: { readonly records: readonly AuditRecord[] }): JSX.Element {
  if (records.length === 0) return <p class="muted">No connection and no attempt is on record.</p>
  const newest = records.toReversed()
  const older = newest.slice(SHOWN)
  return (
    <>
      <h3>On record</h3>
      <ul class="rows" aria-label="Connections">
        {newest.slice(0, SHOWN).map((record) => (
          <Attempt key={record.seq} record={record} />
        ))}
      </ul>
      {older.length > 0 && (
        <details>
          <summary>{plural(older.length, 'earlier record')}</summary>
          <ul class="rows">
            {older.map((record) => (
              <Attempt key={record.seq} record={record} />
            ))}
          </ul>
        </details>
      )}
    </>
  )
}

const KINDS: Readonly<Record<string, readonly [tone: string, text: string]>> = {
  'egress.blocked': ['error', 'blocked'],
  'egress.failed': ['locked', 'failed'],
  'egress.placeholder': ['locked', 'placeholder'],
  'egress.tunnel': ['connected', 'allowed'],
}

function Attempt({
  record: { at, kind, details = {} },
}: {
  readonly record: AuditRecord
}): JSX.Element {
  const [tone, text] = KINDS[kind] ?? ['idle', kind]
  const { host, port, reason, more, up, down } = details
  return (
    <li>
      <Time iso={at} />
      <Badge tone={tone} text={text} />
      <code>
        <Foreign text={[host, port].filter(isPlain).join(':')} />
      </code>
      <span class="muted">
        {isPlain(reason) && <Foreign text={String(reason)} />}
        {typeof up === 'number' &&
          typeof down === 'number' &&
          `${showSize(up)} out, ${showSize(down)} in`}
        {isPlain(more) && ` (${more} more times)`}
      </span>
    </li>
  )
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
