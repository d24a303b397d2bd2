/** The owner's model profiles; `[*]` marks the one that is asked. */
import { useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ProfileView } from '../../../ports/model-port.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { addressOf } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'
import { Badge, Card, Foreign, Shown } from './basics.tsx'
import { ConfirmDialog } from './confirm-dialog.tsx'
import { ListBar } from './list-bar.tsx'

export function ProfileList(): JSX.Element {
  const live = useLive('profiles.list', {}, ['vault'])
  const chosen = useSignal<string | undefined>(undefined)
  const isDeleting = useSignal(false)
  const known = live.data.value?.profiles ?? []
  const selected = known.find(({ name }) => name === chosen.value)?.name
  const remove = (name: string): void =>
    void attempt(async () => {
      isDeleting.value = false
      await ask('profiles.remove', { name })
      tellDone(`${name} is removed.`)
      await live.reload()
    })
  return (
    <Card title="Profiles">
      <Shown live={live} what="profiles">
        {({ profiles }) => (
          <div class="list">
            {profiles.length === 0 && (
              <p class="muted">
                No model is set up. Cordon works without one; with one it understands more.
              </p>
            )}
            <ul aria-label="Profiles">
              {profiles.map((profile) => (
                <Row
                  key={profile.name}
                  profile={profile}
                  isSelected={profile.name === selected}
                  onSelect={() => (chosen.value = profile.name)}
                />
              ))}
            </ul>
            <ListBar
              what="profile"
              selected={selected}
              add={addressOf('settings', 'profile', 'add')}
              edit={addressOf('settings', 'profile', 'edit', selected ?? '')}
              onDelete={() => (isDeleting.value = true)}
            />
          </div>
        )}
      </Shown>
      {isDeleting.value && selected !== undefined && (
        <ConfirmDialog
          title={`Delete "${selected}"?`}
          verb="Delete"
          onConfirm={() => remove(selected)}
          onCancel={() => (isDeleting.value = false)}
        >
          <p>This will remove the profile and its stored key.</p>
        </ConfirmDialog>
      )}
    </Card>
  )
}

interface RowProps {
  readonly profile: ProfileView
  readonly isSelected: boolean
  readonly onSelect: () => void
}

function Row({ profile, isSelected, onSelect }: RowProps): JSX.Element {
  const { name, model, isActive, isLocal, clearance, degradedUntil } = profile
  return (
    <li class={isSelected ? 'row selected' : 'row'}>
      <label class="pick">
        <input type="radio" name="profile" checked={isSelected} onChange={onSelect} />
        <span>
          <strong>{name}</strong> <Foreign text={model} />
          <span class="muted">
            {isLocal ? 'on this machine' : new URL(profile.url).host}; may read what is {clearance}{' '}
            or less
          </span>
        </span>
      </label>
      {degradedUntil !== undefined && <Badge tone="error" text="Error" />}
      {isActive && (
        <span class="active">
          <span aria-hidden="true">[*]</span>
          <span class="visually-hidden">(the one that is asked)</span>
        </span>
      )}
    </li>
  )
}
