/**
 * The programs that use the servers through Cordon, and those that could: their last request, their budget, the tools that
 * they may use, the end of their access, and moving a program in or out.
 */
import type { JSX } from 'preact'
import type { GatewayClient } from '../../../ports/client-port.ts'
import { ask } from '../ask.ts'
import { Contexts } from '../clients/contexts.tsx'
import { FoundClients } from '../clients/found-clients.tsx'
import { ToolCost } from '../clients/tool-cost.tsx'
import { useLive } from '../live.ts'
import { Badge, Card, Shown, Time } from '../parts/basics.tsx'
import { attempt, tellDone } from '../toasts.ts'

export function Clients(): JSX.Element {
  const live = useLive('clients.list', {}, ['gateway', 'clients'])
  return (
    <>
      <h1>Clients</h1>
      <Card title="Programs that use your servers">
        <Shown live={live} what="clients">
          {({ clients }) =>
            clients.length === 0 ? (
              <p class="muted">None yet.</p>
            ) : (
              <ul class="rows">
                {clients.map((client) => (
                  <Row key={client.name} client={client} onRemoved={() => void live.reload()} />
                ))}
              </ul>
            )
          }
        </Shown>
      </Card>
      <FoundClients />
      <Contexts />
      <ToolCost />
    </>
  )
}

interface RowProps {
  readonly client: GatewayClient
  readonly onRemoved: () => void
}

function Row({ client, onRemoved }: RowProps): JSX.Element {
  const { name, taint, limits = {}, isSignedIn, lastUsedAt, contexts = [] } = client
  const { callsPerMinute, bytesPerDay } = limits
  const remove = (): void =>
    void attempt(async () => {
      await ask('clients.remove', { name })
      tellDone(`${name} has no access any more.`)
      onRemoved()
    })
  return (
    <li>
      <strong>{name}</strong> {isSignedIn && <Badge tone="idle" text="signed in by itself" />}{' '}
      <span class="muted">
        {lastUsedAt === undefined ? 'never used' : 'used '}
        {lastUsedAt !== undefined && <Time iso={lastUsedAt} />}; may use{' '}
        {contexts.length === 0 ? 'every server' : `only ${contexts.join(', ')}`}; calls that others
        may have steered: {taint}
        {callsPerMinute !== undefined && `; ${callsPerMinute} calls a minute`}
        {bytesPerDay !== undefined && `; ${bytesPerDay / 1_000_000} MB a day`}
      </span>{' '}
      <button type="button" class="quiet" onClick={remove}>
        End its access
      </button>
    </li>
  )
}
