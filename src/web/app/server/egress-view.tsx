/** The way out of one server: hosts that it may reach, hosts that it was kept from, and each attempt as it happens. */
import type { JSX } from 'preact'
import type { AuditRecord } from '../../../kernel/audit-record.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, Prose, Shown, Time } from '../parts/basics.tsx'

interface EgressProps {
  readonly server: string
  readonly allowed: readonly string[]
  /** Since its process was started. The names are the server's own choice. */
  readonly blocked: readonly string[]
}

const MOST = 50

/** Connections that were let through leave no record: only the list of hosts says what may pass. */
export function EgressView({ server, allowed, blocked }: EgressProps): JSX.Element {
  const live = useLive('audit.search', { kind: 'egress.*', subject: server, limit: MOST }, [
    'egress',
  ])
  return (
    <Card title="Way out">
      <ul class="hosts">
        {allowed.map((host) => (
          <li key={host}>
            <Badge tone="connected" text="allowed" /> <code>{host}</code>
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
        {({ records }) =>
          records.length === 0 ? (
            <p class="muted">It has tried nothing that it may not.</p>
          ) : (
            <>
              <ul class="rows">
                {records.toReversed().map((record) => (
                  <Attempt key={record.seq} record={record} />
                ))}
              </ul>
              <Prose text="A host that it should reach is allowed with `cordon notices allow`." />
            </>
          )
        }
      </Shown>
    </Card>
  )
}

const KINDS: Readonly<Record<string, readonly [tone: string, text: string]>> = {
  'egress.blocked': ['error', 'blocked'],
  'egress.failed': ['locked', 'failed'],
  'egress.tunnel': ['connected', 'tunnel'],
}

function Attempt({
  record: { at, kind, details = {} },
}: {
  readonly record: AuditRecord
}): JSX.Element {
  const [tone, text] = KINDS[kind] ?? ['idle', kind]
  const { host, port, reason, more } = details
  return (
    <li>
      <Time iso={at} />
      <Badge tone={tone} text={text} />
      <code>
        <Foreign text={[host, port].filter(isPlain).join(':')} />
      </code>
      <span class="muted">
        {isPlain(reason) && <Foreign text={String(reason)} />}
        {isPlain(more) && ` (${more} more times)`}
      </span>
    </li>
  )
}

function isPlain(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number'
}
