/**
 * The programs that use the servers through Cordon, and those that could: their last request, their budget, the end of
 * their access, and the plan of moving a program in. Changes no file of another program; a terminal does that.
 */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { EntryPlan, FoundClient } from '../../../ports/client-import-port.ts'
import type { GatewayClient } from '../../../ports/client-port.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, plural, Prose, Shown, Time } from '../parts/basics.tsx'
import { CopyLine } from '../parts/copy-line.tsx'
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
      <Found />
    </>
  )
}

interface RowProps {
  readonly client: GatewayClient
  readonly onRemoved: () => void
}

function Row({ client, onRemoved }: RowProps): JSX.Element {
  const { name, taint, limits = {}, isSignedIn, lastUsedAt } = client
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
        {lastUsedAt !== undefined && <Time iso={lastUsedAt} />}; calls that others may have steered:{' '}
        {taint}
        {callsPerMinute !== undefined && `; ${callsPerMinute} calls a minute`}
        {bytesPerDay !== undefined && `; ${bytesPerDay / 1_000_000} MB a day`}
      </span>{' '}
      <button type="button" class="quiet" onClick={remove}>
        End its access
      </button>
    </li>
  )
}

function Found(): JSX.Element {
  const live = useLive('imports.list', {}, ['clients'])
  return (
    <Card title="Programs of this machine">
      <Shown live={live} what="programs">
        {({ clients }) => {
          const here = clients.filter(({ exists }) => exists)
          return here.length === 0 ? (
            <Prose text="No configuration of a known MCP client was found. `cordon install cursor` makes one." />
          ) : (
            here.map((client) => <FoundRow key={client.id} client={client} />)
          )
        }}
      </Shown>
    </Card>
  )
}

function FoundRow({ client }: { readonly client: FoundClient }): JSX.Element {
  const { id, name, path, isConnected, servers, canUndo, problem } = client
  const isOpen = useSignal(false)
  return (
    <section aria-label={name}>
      <h3>
        {name} {isConnected && <Badge tone="connected" text="uses Cordon" />}
      </h3>
      <p class="muted">
        <code>{path}</code>
        {servers.length > 0 && `; starts ${plural(servers.length, 'server')} around Cordon`}
      </p>
      {problem !== undefined && <p class="reason">{problem}.</p>}
      {problem === undefined && (servers.length > 0 || !isConnected) && (
        <>
          <button type="button" onClick={() => (isOpen.value = !isOpen.value)}>
            What would move in
          </button>
          {isOpen.value && <Plan client={id} />}
          <CopyLine line={`cordon import ${id}`} />
        </>
      )}
      {canUndo && <CopyLine line={`cordon import ${id} --undo`} />}
    </section>
  )
}

function Plan({ client }: { readonly client: string }): JSX.Element {
  const live = useLive('imports.plan', { client }, ['clients'])
  return (
    <Shown live={live} what="the plan">
      {({ entries }) =>
        entries.length === 0 ? (
          <p class="muted">It has no servers; only Cordon would be added.</p>
        ) : (
          <ul class="rows">
            {entries.map((entry) => (
              <PlannedEntry key={`${entry.project ?? ''} ${entry.name}`} entry={entry} />
            ))}
          </ul>
        )
      }
    </Shown>
  )
}

const FATES = { moves: 'moves in', there: 'is in Cordon already', stays: 'stays' } as const

function PlannedEntry({ entry }: { readonly entry: EntryPlan }): JSX.Element {
  const { name, fate, hosts, secrets, why, needsSignIn } = entry
  return (
    <li>
      <Foreign text={name} />{' '}
      <Badge tone={fate === 'stays' ? 'idle' : 'connected'} text={FATES[fate]} />
      {fate === 'moves' && (
        <span class="muted">
          may reach {hosts.length === 0 ? 'no host' : hosts.join(', ')}
          {secrets.length > 0 && `; ${plural(secrets.length, 'token')} go to the vault`}
          {needsSignIn && '; needs a sign-in afterwards'}
        </span>
      )}
      {why !== undefined && <Prose text={why} />}
    </li>
  )
}
