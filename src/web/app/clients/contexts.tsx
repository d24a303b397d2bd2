/** Contexts: named sets of servers and tools that limit what a program may use. They are changed at a terminal. */
import type { JSX } from 'preact'
import { useLive } from '../live.ts'
import { Card, Prose, Shown } from '../parts/basics.tsx'

export function Contexts(): JSX.Element {
  const live = useLive('contexts.list', {}, ['clients', 'gateway'])
  return (
    <Card title="Contexts">
      <Shown live={live} what="contexts">
        {({ contexts }) =>
          contexts.length === 0 ? (
            <Prose text="None. A context limits a program to some servers or tools: `cordon context add work github notion`, then `cordon context use work --client NAME`." />
          ) : (
            <ul class="rows">
              {contexts.map(({ name, members, clients }) => (
                <li key={name}>
                  <strong>{name}</strong> {members.join(', ') || 'empty'}{' '}
                  <span class="muted">
                    {clients.length === 0 ? 'used by no program' : `used by ${clients.join(', ')}`}
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}
