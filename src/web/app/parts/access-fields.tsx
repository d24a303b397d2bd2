/**
 * How a server proves who asks: a key that is typed or lies in a file, a sign-in, or nothing. What is typed goes to the
 * connection, which puts it into the vault and tries it; no field is ever filled with a stored credential.
 */
import { type Signal, signal } from '@preact/signals'
import type { JSX } from 'preact'
import type { ServerAccess } from '../../../api/server-settings.ts'
import { Account, Prose } from './basics.tsx'
import { Outside } from './connect-question.tsx'

export interface AccessFields {
  readonly way: Signal<'key' | 'keyfile'>
  readonly key: Signal<string>
  readonly keyfile: Signal<string>
}

export function createAccessFields(access: ServerAccess): AccessFields {
  const keyfile = access.kind === 'token' ? access.keyfile : undefined
  return {
    way: signal(keyfile === undefined ? 'key' : 'keyfile'),
    key: signal(''),
    keyfile: signal(keyfile ?? ''),
  }
}

/** The entered values, as the connection takes it; undefined if nothing new was. */
export function takeCredential(access: ServerAccess, fields: AccessFields): string | undefined {
  if (access.kind !== 'token') return undefined
  const { way, key, keyfile } = fields
  if (way.value === 'keyfile') {
    const path = keyfile.value.trim()
    return path === '' || path === access.keyfile ? undefined : `file:${path}`
  }
  const typed = key.value.trim()
  key.value = '' // it is in no field any more, whatever comes of it
  return typed === '' ? undefined : typed
}

type Token = Extract<ServerAccess, { readonly kind: 'token' }>

interface TokenProps {
  readonly access: Token
  readonly fields: AccessFields
}

export function TokenFields({ access, fields }: TokenProps): JSX.Element {
  const { way, key, keyfile } = fields
  return (
    <fieldset class="access">
      <legend>This MCP requires authentication.</legend>
      <Way way={way} value="key" text="API Key / PAT:" />
      <input
        type="password"
        aria-label="API Key / PAT"
        autocomplete="off"
        disabled={way.value !== 'key'}
        value={key.value}
        onInput={(event) => {
          key.value = event.currentTarget.value
        }}
      />
      {access.isThere && access.keyfile === undefined && (
        <span class="muted">One is stored; empty leaves it as it is.</span>
      )}
      {access.where !== undefined && <Prose text={access.where} />}
      {access.url !== undefined && <Outside url={access.url} />}
      <Way way={way} value="keyfile" text="Keyfile Path:" />
      <input
        type="text"
        aria-label="Keyfile Path"
        spellcheck={false}
        autocomplete="off"
        disabled={way.value !== 'keyfile'}
        value={keyfile.value}
        onInput={(event) => {
          keyfile.value = event.currentTarget.value
        }}
      />
      <span class="muted">(e.g. ~/.github_token)</span>
    </fieldset>
  )
}

interface WayProps {
  readonly way: AccessFields['way']
  readonly value: 'key' | 'keyfile'
  readonly text: string
}

function Way({ way, value, text }: WayProps): JSX.Element {
  return (
    <label class="check">
      <input
        type="radio"
        name="way"
        value={value}
        checked={way.value === value}
        onChange={() => (way.value = value)}
      />
      {text}
    </label>
  )
}

interface SignInProps {
  readonly access: Extract<ServerAccess, { readonly kind: 'oauth' }>
  readonly provider: string
  readonly onAuthorize: () => void
}

export function SignInFields({ access, provider, onAuthorize }: SignInProps): JSX.Element {
  const { isThere, account } = access
  return (
    <div class="access">
      <p>This MCP requires OAuth authentication.</p>
      <p>
        <button type="button" onClick={onAuthorize}>
          {isThere ? 'Reauthorize' : 'Authorize'} with {provider}
        </button>
      </p>
      <p>
        Status: {isThere ? 'Connected' : 'Not connected'}
        {isThere && account !== undefined && (
          <>
            {' as '}
            <Account name={account} />
          </>
        )}
      </p>
    </div>
  )
}
