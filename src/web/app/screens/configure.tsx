/**
 * Configure one server: its credential or sign-in, its own settings, its folders, hosts and label, further accounts, and
 * what its tools do. A new credential is tried before this screen is left.
 */
import { type Signal, signal, useSignal } from '@preact/signals'
import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ServerSettings, SettingsChanges } from '../../../api/server-settings.ts'
import type { ConnectionView } from '../../../ports/setup-port.ts'
import { ask, Refused } from '../ask.ts'
import { giveCredential, startAgain } from '../give-credential.ts'
import { useLive } from '../live.ts'
import {
  type AccessFields,
  createAccessFields,
  SignInFields,
  takeCredential,
  TokenFields,
} from '../parts/access-fields.tsx'
import { Accounts } from '../parts/accounts.tsx'
import { Card, Foreign, Prose, Shown } from '../parts/basics.tsx'
import { ConnectPanel } from '../parts/connect-panel.tsx'
import { Marks } from '../parts/marks.tsx'
import {
  createLimitFields,
  limitChanges,
  type LimitFields,
  ServerLimits,
} from '../parts/server-limits.tsx'
import { addressOf, go } from '../place.ts'
import { attempt, tellDone } from '../toasts.ts'

export function Configure({ server }: { readonly server: string }): JSX.Element {
  const live = useLive('mcp.settings', { server }, ['servers', 'setup', 'vault'])
  return (
    <Shown live={live} what="the settings">
      {(settings) => (
        <>
          <h1>
            <a class="back" href={addressOf('settings')} aria-label="Back to Settings">
              &lt;
            </a>{' '}
            Configure: <Foreign text={settings.name} />
          </h1>
          <Form settings={settings} />
          <Accounts settings={settings} />
          <Card title="These only read, these change things">
            <Marks server={server} />
          </Card>
        </>
      )}
    </Shown>
  )
}

function Form({ settings }: { readonly settings: ServerSettings }): JSX.Element {
  const { server, name, access } = settings
  // Kept while live data changes: an event must not empty a field that somebody types into.
  const fields = useMemo(() => createFields(settings), [server])
  const view = useSignal<ConnectionView | undefined>(undefined)
  const connect = async (starting: Promise<ConnectionView>): Promise<void> => {
    view.value = undefined
    view.value = await starting
  }
  const save = (): void =>
    void attempt(async () => {
      const changes = changesOf(settings, fields)
      const hasChanges = Object.keys(changes).length > 0
      if (hasChanges) await ask('mcp.configure', { server, changes })
      const credential = takeCredential(access, fields.access)
      if (credential !== undefined) {
        const giving = connect(giveCredential(server, credential))
        return await giving.catch((error: unknown) => {
          throw hasChanges ? onlyHalf(error) : error
        })
      }
      tellDone(`${fields.name.value} is saved.`)
      go('settings')
    })
  return (
    <>
      {view.value && (
        <ConnectPanel
          key={view.value.connection}
          first={view.value}
          name={server}
          onEnd={({ phase }) => {
            if (phase !== 'connected') return
            tellDone(`${name} is connected.`)
            if (access.kind === 'token') go('settings')
          }}
        />
      )}
      <FormFields
        settings={settings}
        fields={fields}
        onSave={save}
        onAuthorize={() => void attempt(() => connect(startAgain(server)))}
      />
    </>
  )
}

/** The first of two steps is done: whoever tries again has to know. */
function onlyHalf(error: unknown): unknown {
  if (!(error instanceof Refused)) return error
  const { code, message, hint, call } = error
  const half = new Refused({
    code,
    message: `The settings are saved, the credential is not: ${message}`,
    hint: `${hint}, then type it again`,
  })
  half.call = call
  return half
}

interface FormProps {
  readonly settings: ServerSettings
  readonly fields: Fields
  readonly onSave: () => void
  readonly onAuthorize: () => void
}

function FormFields({ settings, fields, onSave, onAuthorize }: FormProps): JSX.Element {
  const { name, access } = settings
  return (
    <form
      class="card settings-form"
      autocomplete="off"
      onSubmit={(event) => {
        event.preventDefault()
        onSave()
      }}
    >
      <Name value={fields.name} />
      {access.kind === 'token' && <TokenFields access={access} fields={fields.access} />}
      {access.kind === 'oauth' && (
        <SignInFields
          access={access}
          provider={settings.service?.title ?? name}
          onAuthorize={onAuthorize}
        />
      )}
      {access.kind === 'none' && <p>No authentication required.</p>}
      <PlainSettings settings={settings} values={fields.values} />
      <ServerLimits settings={settings} fields={fields.limits} />
      {!settings.isOwn && (
        <p class="notice">Its definition is not yours: it can be read here, and not changed.</p>
      )}
      <p class="answers end">
        <a class="button quiet" href={addressOf('settings')}>
          Cancel
        </a>
        <button type="submit" disabled={!settings.isOwn}>
          Save
        </button>
      </p>
    </form>
  )
}

interface Fields {
  readonly name: Signal<string>
  readonly access: AccessFields
  readonly limits: LimitFields
  /** Values of plain settings, by key. */
  readonly values: Signal<Readonly<Record<string, string>>>
}

function createFields(settings: ServerSettings): Fields {
  return {
    name: signal(settings.name),
    access: createAccessFields(settings.access),
    limits: createLimitFields(settings),
    values: signal(Object.fromEntries(settings.settings.map(({ key, value }) => [key, value]))),
  }
}

function changesOf(settings: ServerSettings, { name, limits, values }: Fields): SettingsChanges {
  const changed = settings.settings
    .map(({ key, value }) => [key, value, values.value[key]?.trim() ?? ''] as const)
    .filter(([, before, now]) => now !== '' && now !== before)
    .map(([key, , now]) => [key, now] as const)
  const called = name.value.trim()
  return {
    ...(called !== '' && called !== settings.name && { name: called }),
    ...limitChanges(settings, limits),
    ...(changed.length > 0 && { settings: Object.fromEntries(changed) }),
  }
}

function Name({ value }: { readonly value: Signal<string> }): JSX.Element {
  return (
    <label>
      Name:
      <input
        type="text"
        autocomplete="off"
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value
        }}
      />
    </label>
  )
}

/** The name of a variable is shown only to somebody who opens it. */
function PlainSettings({
  settings: { settings },
  values,
}: {
  readonly settings: ServerSettings
  readonly values: Fields['values']
}): JSX.Element {
  return (
    <>
      {settings.map(({ key, title, where }) => (
        <div key={key} class="setting">
          <label>
            {title}:
            <input
              type="text"
              autocomplete="off"
              spellcheck={false}
              value={values.value[key] ?? ''}
              onInput={(event) => {
                values.value = { ...values.value, [key]: event.currentTarget.value }
              }}
            />
          </label>
          {where !== undefined && <Prose text={where} />}
          <details>
            <summary class="muted">How the server gets it</summary>
            <p class="muted">
              As the variable <code>{key}</code>.
            </p>
          </details>
        </div>
      ))}
    </>
  )
}
