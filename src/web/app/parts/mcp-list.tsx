/** The servers in the settings: the checkbox of a row enables it, at once and back again if that is refused. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import type { ServerSummary } from '../../../api/servers.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { addressOf } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'
import { Card, Foreign, Shown, StateBadge } from './basics.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ListBar } from './list-bar.tsx'

export function McpList(): JSX.Element {
  const live = useLive('mcp.list', {}, ['servers', 'setup', 'notices'])
  const chosen = useSignal<string | undefined>(undefined)
  const isDeleting = useSignal(false)
  const known = live.data.value?.servers ?? []
  const selected = known.find(({ server }) => server === chosen.value)
  const remove = ({ server, name }: ServerSummary): void =>
    void attempt(async () => {
      isDeleting.value = false
      await ask('connect.remove', { server, keepSecrets: false })
      tellDone(`${name} is removed.`)
      await live.reload()
    })
  return (
    <Card title="MCPs">
      <Shown live={live} what="servers">
        {({ servers }) => (
          <div class="list">
            {servers.length === 0 && (
              <p class="muted">
                Nothing is connected. Press + for a first one: your files need no account.
              </p>
            )}
            <ul aria-label="MCPs">
              {servers.map((summary) => (
                <Row
                  key={summary.server}
                  summary={summary}
                  isSelected={summary === selected}
                  onSelect={() => (chosen.value = summary.server)}
                  onChanged={live.reload}
                />
              ))}
            </ul>
            <ListBar
              what="MCP"
              selected={selected?.server}
              add={addressOf('servers', 'add')}
              edit={addressOf('settings', 'mcp', selected?.server ?? '')}
              onDelete={() => (isDeleting.value = true)}
            />
          </div>
        )}
      </Shown>
      {isDeleting.value && selected && (
        <ConfirmDialog
          title={`Delete "${selected.name}"?`}
          verb="Delete"
          onConfirm={() => remove(selected)}
          onCancel={() => (isDeleting.value = false)}
        >
          <p>This will remove the MCP and its stored credentials.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

interface RowProps {
  readonly summary: ServerSummary
  readonly isSelected: boolean
  readonly onSelect: () => void
  readonly onChanged: () => Promise<void>
}

function Row({ summary, isSelected, onSelect, onChanged }: RowProps): JSX.Element {
  const { server, name, state } = summary
  /** The state that was asked for, until the list agrees: the state of a server follows its definition a moment later. */
  const wanted = useSignal<boolean | undefined>(undefined)
  const isSending = useSignal(false)
  const isListed = state.badge !== 'disabled'
  const isOn = wanted.value ?? isListed
  useEffect(() => {
    if (wanted.value === isListed) wanted.value = undefined
  }, [isListed])
  const toggle = async (): Promise<void> => {
    const enabled = !isOn
    wanted.value = enabled
    isSending.value = true
    const hasWorked = await attempt(async () => {
      await ask('mcp.configure', { server, changes: { enabled } })
      await onChanged()
    })
    isSending.value = false
    if (!hasWorked) wanted.value = undefined
  }
  return (
    <li class={isSelected ? 'row selected' : 'row'}>
      <input
        type="checkbox"
        aria-label={`Enable ${name}`}
        checked={isOn}
        disabled={isSending.value}
        onChange={() => void toggle()}
      />
      <label class="pick">
        <input type="radio" name="mcp" checked={isSelected} onChange={onSelect} />
        <span>
          <Foreign text={name} />
          {state.reason !== undefined && <span class="muted">{state.reason}</span>}
        </span>
      </label>
      {isOn && state.badge !== 'disabled' && <StateBadge badge={state.badge} />}
    </li>
  )
}
