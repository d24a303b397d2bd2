/** The tools of one server: effect, whether each can be called, a switch, and on demand roles, pin and suspicious parts. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ShownTool } from '../../../api/tools.ts'
import type { ToolListing } from '../../../ports/tool-view.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { Badge, Card, Foreign, Shown } from '../parts/basics.tsx'
import { attempt } from '../toasts.ts'

/** More are not drawn; the command line shows them all. */
const MOST_SHOWN = 300

const STATES: Readonly<Record<NonNullable<ToolListing['blocked']>, string>> = {
  unknown: 'not there',
  quarantined: 'changed, not accepted',
  held: 'quarantined by you',
  collides: 'looks like another, not accepted',
  disabled: 'switched off',
}

export function ToolList({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('tools.list', { server }, ['servers'])
  return (
    <Card title="Tools">
      <Shown live={live} what="tools">
        {({ tools }) =>
          tools.length === 0 ? (
            <p class="muted">No tools are known yet. Test the connection to read them.</p>
          ) : (
            <>
              <ul class="rows">
                {tools.slice(0, MOST_SHOWN).map((tool) => (
                  <Row key={tool.card.id.name} server={server} tool={tool} />
                ))}
              </ul>
              {tools.length > MOST_SHOWN && (
                <p>
                  And {tools.length - MOST_SHOWN} more: <code>cordon tools list {server}</code>
                </p>
              )}
            </>
          )
        }
      </Shown>
    </Card>
  )
}

interface RowProps {
  readonly server: string
  readonly tool: ToolListing
}

function Row({ server, tool: { card, blocked } }: RowProps): JSX.Element {
  const { name } = card.id
  const isOpen = useSignal(false)
  return (
    <li>
      <Switch key={String(blocked)} server={server} tool={name} isOn={blocked !== 'disabled'} />
      <details onToggle={(event) => (isOpen.value = event.currentTarget.open)}>
        <summary>
          <code>
            <Foreign text={name} />
          </code>{' '}
          <Badge tone={card.effect} text={card.effect} />{' '}
          {blocked && <Badge tone="locked" text={STATES[blocked]} />}
        </summary>
        {isOpen.value && <Details server={server} tool={name} />}
      </details>
    </li>
  )
}

interface SwitchProps {
  readonly server: string
  readonly tool: string
  readonly isOn: boolean
}

/** Shown as switched at once; a refusal switches it back. */
function Switch({ server, tool, isOn }: SwitchProps): JSX.Element {
  const shown = useSignal(isOn)
  const turn = async (enabled: boolean): Promise<void> => {
    shown.value = enabled
    const isDone = await attempt(() => ask('tools.set', { server, tool, enabled }))
    if (!isDone) shown.value = !enabled
  }
  return (
    <input
      type="checkbox"
      aria-label={`${tool} may be called`}
      checked={shown.value}
      onChange={(event) => void turn(event.currentTarget.checked)}
    />
  )
}

function Details({ server, tool }: Omit<SwitchProps, 'isOn'>): JSX.Element {
  const live = useLive('tools.show', { server, tool }, ['servers'])
  return (
    <Shown live={live} what="the tool">
      {(view) => (
        <div class="tool-details">
          <p>
            {view.card.effect}, since <Foreign text={view.because} />.{' '}
            {view.lookAlike !== undefined && (
              <>
                It looks like <Foreign text={view.lookAlike} />.
              </>
            )}
          </p>
          {view.described !== undefined && (
            <blockquote class="external" aria-label="In its server's words">
              <p class="said">
                <Foreign text={view.described} />
              </p>
            </blockquote>
          )}
          <Roles roles={view.roles} />
          {view.flags.length > 0 && (
            <ul class="warnings">
              {view.flags.map(({ kind, where, found }, at) => (
                <li key={at}>
                  {FLAGS[kind]}, at <Foreign text={where} />: <Foreign text={found} />
                </li>
              ))}
            </ul>
          )}
          <p class="muted hash">
            Pin: <code>{view.hash}</code>
          </p>
        </div>
      )}
    </Shown>
  )
}

const FLAGS: Readonly<Record<ShownTool['flags'][number]['kind'], string>> = {
  instruction: 'It gives orders to a model',
  'other-tool': 'It speaks of a tool of another server',
  path: 'It names a place where keys lie',
  markup: 'It holds markup that people do not see',
  hidden: 'It holds characters that cannot be seen',
  encoded: 'It holds encoded text',
  'same-name': 'It has the name of another tool',
}

const SOURCES = {
  catalog: 'the catalog says so',
  owner: 'you said so',
  schema: 'by its name and type',
  unknown: 'nothing tells',
} as const

function Roles({ roles }: Pick<ShownTool, 'roles'>): JSX.Element | null {
  if (roles.length === 0) return <p class="muted">It takes no arguments.</p>
  return (
    <table class="values">
      <thead>
        <tr>
          <th>Argument</th>
          <th>Role</th>
          <th>Why</th>
        </tr>
      </thead>
      <tbody>
        {roles.map(({ name, role, source }) => (
          <tr key={name}>
            <td>
              <code>
                <Foreign text={name} />
              </code>
            </td>
            <td>{role}</td>
            <td>{SOURCES[source]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}
