/**
 * A new model profile, or changes to one. The key is typed into a password field, goes to the vault and never comes back;
 * its field is emptied as soon as it is sent, also if that fails.
 */
import { type Signal, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { NewProfile, ProfileView } from '../../../ports/model-port.ts'
import { ask } from '../ask.ts'
import { useLive } from '../live.ts'
import { offeredModels } from '../offered-models.ts'
import { Shown } from '../parts/basics.tsx'
import { Loading } from '../parts/loading.tsx'
import { VaultChoice, type VaultProtection } from '../parts/vault-choice.tsx'
import { addressOf, go } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'

const PROVIDERS: Readonly<Record<NewProfile['provider'], string>> = {
  anthropic: 'Anthropic',
  openai: 'OpenAI, or anything that speaks its format',
  ollama: 'Ollama on this machine',
}

export function ProfileForm({ edited }: { readonly edited?: string }): JSX.Element {
  const live = useLive('profiles.list', {}, [])
  return (
    <>
      <h1>
        <a class="back" href={addressOf('settings')} aria-label="Back to Settings">
          &lt;
        </a>{' '}
        {edited === undefined ? 'Add Profile' : `Edit Profile: ${edited}`}
      </h1>
      {edited === undefined ? (
        <Form />
      ) : (
        <Shown live={live} what="the profile">
          {({ profiles }) => {
            const profile = profiles.find(({ name }) => name === edited)
            return profile ? (
              <Form profile={profile} onChanged={live.reload} />
            ) : (
              <p>There is no profile of this name.</p>
            )
          }}
        </Shown>
      )}
    </>
  )
}

interface FormProps {
  readonly profile?: ProfileView
  readonly onChanged?: () => Promise<void>
}

interface Fields {
  readonly name: Signal<string>
  readonly provider: Signal<NewProfile['provider']>
  readonly url: Signal<string>
  readonly model: Signal<string>
  readonly key: Signal<string>
  readonly mayRead: Signal<boolean>
  /** How the vault is protected that is made with this key; absent if there is a vault. */
  readonly protect: Signal<VaultProtection | undefined>
}

function createFields(profile: Partial<ProfileView> = {}): Fields {
  const { name = '', provider = 'anthropic', url = '', model = '', clearance } = profile
  return {
    name: signal(name),
    provider: signal(provider),
    url: signal(url),
    model: signal(model),
    key: signal(''),
    mayRead: signal(clearance === 'sensitive'),
    protect: signal(undefined),
  }
}

/** Sends the fields, and empties that of the key first. */
async function save(fields: Fields, profile: ProfileView | undefined): Promise<void> {
  const { key, name, model, url, provider, mayRead } = fields
  const protect = fields.protect.value
  const secret = key.value === '' ? {} : { key: key.value, ...(protect && { protect }) }
  key.value = ''
  const shared = { name: name.value.trim(), model: model.value.trim(), ...secret }
  const risk = isOnThisMachine(fields, profile) ? {} : { mayReadSensitive: mayRead.value }
  const at = url.value.trim() === '' ? {} : { url: url.value.trim() }
  if (profile) await ask('profiles.edit', { ...shared, ...risk })
  else await ask('profiles.add', { ...shared, ...risk, ...at, provider: provider.value })
  tellDone(`${shared.name} is saved.`)
  go('settings')
}

function isOnThisMachine({ provider }: Fields, profile: ProfileView | undefined): boolean {
  return profile?.isLocal ?? provider.value === 'ollama'
}

function Form({ profile, onChanged }: FormProps): JSX.Element {
  const fields = useMemo(() => createFields(profile), [profile?.name])
  const { name, url, model, key, mayRead } = fields
  const isIncomplete = name.value.trim() === '' || model.value.trim() === ''
  const isFixed = profile !== undefined
  return (
    <form
      class="card settings-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        void attempt(() => save(fields, profile))
      }}
    >
      <TextField label="Name:" value={name} isFixed={isFixed} isRequired />
      {!profile && <ProviderField value={fields.provider} />}
      <TextField
        label="Address:"
        value={url}
        isFixed={isFixed}
        hint={
          isFixed
            ? 'Another address is another profile: a key never moves to another host.'
            : 'Empty: the usual one of the provider.'
        }
      />
      <TextField label="Model:" value={model} isRequired models={modelsOf(profile)} />
      {!isOnThisMachine(fields, profile) && (
        <>
          <KeyField typed={key} hasOne={profile?.key !== undefined} />
          <VaultChoice protect={fields.protect} />
          <Risk mayRead={mayRead} />
        </>
      )}
      <p class="answers end">
        <a class="button quiet" href={addressOf('settings')}>
          Cancel
        </a>
        <button type="submit" disabled={isIncomplete}>
          Save
        </button>
      </p>
      {profile && <Trial profile={profile} onChanged={onChanged} />}
    </form>
  )
}

function ProviderField({ value }: { readonly value: Fields['provider'] }): JSX.Element {
  return (
    <label>
      Provider:
      <select
        value={value.value}
        onChange={(event) => {
          value.value = event.currentTarget.value as NewProfile['provider']
        }}
      >
        {Object.entries(PROVIDERS).map(([provider, text]) => (
          <option key={provider} value={provider}>
            {text}
          </option>
        ))}
      </select>
    </label>
  )
}

function modelsOf(profile: ProfileView | undefined): readonly string[] {
  return offeredModels.value.find((one) => one.profile === profile?.name)?.models ?? []
}

interface FieldProps {
  readonly label: string
  readonly value: Signal<string>
  readonly hint?: string
  readonly isFixed?: boolean
  readonly isRequired?: boolean
  readonly models?: readonly string[]
}

function TextField(props: FieldProps): JSX.Element {
  const { label, value, hint, isFixed = false, isRequired = false, models = [] } = props
  return (
    <label>
      {label}
      <input
        type="text"
        spellcheck={false}
        autocomplete="off"
        required={isRequired}
        readOnly={isFixed}
        list={models.length > 0 ? 'offered' : undefined}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
      {hint !== undefined && <span class="muted">{hint}</span>}
      {models.length > 0 && (
        <datalist id="offered">
          {models.map((model) => (
            <option key={model} value={model} />
          ))}
        </datalist>
      )}
    </label>
  )
}

function KeyField({
  typed,
  hasOne,
}: {
  readonly typed: Signal<string>
  readonly hasOne: boolean
}): JSX.Element {
  return (
    <label>
      API Key:
      <input
        type="password"
        autocomplete="off"
        value={typed.value}
        onInput={(event) => {
          typed.value = event.currentTarget.value
        }}
      />
      <span class="muted">
        {hasOne ? 'One is stored; empty leaves it as it is. ' : ''}It goes into the vault, and to
        this provider alone.
      </span>
    </label>
  )
}

function Risk({ mayRead }: { readonly mayRead: Signal<boolean> }): JSX.Element {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={mayRead.value}
        onChange={() => {
          mayRead.value = !mayRead.value
        }}
      />
      <span>
        It may read what is sensitive
        <span class="muted">
          Your mail, files and messages then go to this provider whenever an answer is made of them.
        </span>
      </span>
    </label>
  )
}

interface TrialProps {
  readonly profile: ProfileView
  readonly onChanged: (() => Promise<void>) | undefined
}

function Trial({ profile: { name, isActive }, onChanged }: TrialProps): JSX.Element {
  const isTrying = useSignal(false)
  const test = (): void => {
    isTrying.value = true
    void attempt(async () => {
      const { ms, model } = await ask('profiles.test', { name })
      tellDone(`${model} answered after ${ms} ms.`)
    }).then(() => (isTrying.value = false))
  }
  const use = (): void =>
    void attempt(async () => {
      await ask('profiles.use', { name })
      tellDone(`${name} is the one that is asked.`)
      await onChanged?.()
    })
  return (
    <p class="answers">
      <button type="button" class="quiet" disabled={isTrying.value} onClick={test}>
        Test
      </button>
      {!isActive && (
        <button type="button" class="quiet" onClick={use}>
          Make it the one that is asked
        </button>
      )}
      {isTrying.value && <Loading what="its answer" />}
    </p>
  )
}
