/** The known programs of this machine: which of them use Cordon, what would move in, the move itself and the way back. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { EntryPlan, FoundClient } from '../../../ports/client-import-port.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, plural, Prose, Shown } from '../parts/basics.tsx'
import { MoveIn, UndoMove } from './move-in.tsx'

export function FoundClients(): JSX.Element {
  const live = useLive('imports.list', {}, ['clients', 'servers'])
  return (
    <Card title="Programs of this machine">
      <Shown live={live} what="programs">
        {({ clients }) => {
          const here = clients.filter(({ exists }) => exists)
          return here.length === 0 ? (
            <Prose text="No configuration of a known MCP client was found. `cordon install cursor` makes one." />
          ) : (
            here.map((client) => (
              <FoundRow key={client.id} client={client} onChange={() => void live.reload()} />
            ))
          )
        }}
      </Shown>
    </Card>
  )
}

interface FoundProps {
  readonly client: FoundClient
  readonly onChange: () => void
}

function FoundRow({ client, onChange }: FoundProps): JSX.Element {
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
          {isOpen.value && <Plan client={id} onMoved={onChange} />}
        </>
      )}
      {canUndo && <UndoMove client={id} name={name} onUndone={onChange} />}
    </section>
  )
}

function Plan({ client, onMoved }: { readonly client: string; readonly onMoved: () => void }) {
  const live = useLive('imports.plan', { client }, ['clients'])
  return (
    <Shown live={live} what="the plan">
      {(plan) => (
        <>
          {plan.entries.length === 0 ? (
            <p class="muted">It has no servers; only Cordon would be added.</p>
          ) : (
            <ul class="rows">
              {plan.entries.map((entry) => (
                <PlannedEntry key={`${entry.project ?? ''} ${entry.name}`} entry={entry} />
              ))}
            </ul>
          )}
          <MoveIn plan={plan} onMoved={onMoved} />
        </>
      )}
    </Shown>
  )
}

const FATES = { moves: 'moves in', there: 'is in Cordon already', stays: 'stays' } as const

function PlannedEntry({ entry }: { readonly entry: EntryPlan }): JSX.Element {
  const { name, fate, runs, hosts, secrets, why, needsSignIn } = entry
  return (
    <li>
      <Foreign text={name} />{' '}
      <Badge tone={fate === 'stays' ? 'idle' : 'connected'} text={FATES[fate]} />
      {runs !== undefined && (
        <code>
          <Foreign text={runs} />
        </code>
      )}{' '}
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
