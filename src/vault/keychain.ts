/**
 * The OS keychain: Keychain on macOS, Credential Manager on Windows, the Secret Service on Linux. Never the Linux
 * kernel's keyring, which is the library's default: that keyring is empty after a reboot. The library is an optional
 * dependency, loaded at first use; without it the keychain is unavailable.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { AsyncEntry } from '@napi-rs/keyring'
import { CordonError } from '../kernel/error.ts'

export interface Keychain {
  /** Writes, reads and removes a test entry. Undefined on success, else the problem. */
  probe(): Promise<string | undefined>
  read(account: string): Promise<Buffer | undefined>
  write(account: string, key: Uint8Array): Promise<void>
  remove(account: string): Promise<void>
}

const SERVICE = 'cordon'
const PROBE = 'probe'
/** Long enough for a person to answer the desktop's prompt, short enough not to hang on a machine without a person. */
const PATIENCE_MS = 30_000

export function createKeychain(): Keychain {
  const keychain: Keychain = {
    async probe(): Promise<string | undefined> {
      const account = `${PROBE}-${process.pid}`
      try {
        await keychain.write(account, Buffer.from(PROBE))
        const kept = await keychain.read(account)
        await keychain.remove(account)
        return kept?.toString() === PROBE ? undefined : 'The OS keychain did not keep a test entry'
      } catch (error) {
        return error instanceof Error ? error.message : String(error)
      }
    },
    read: (account) =>
      withEntry(account, async (entry) => {
        const bytes = await entry.getSecret()
        if (!bytes) return undefined
        const key = Buffer.from(bytes)
        bytes.fill(0)
        return key
      }),
    write: (account, key) => withEntry(account, (entry) => entry.setSecret(key)),
    remove: (account) =>
      withEntry(account, async (entry) => {
        await entry.deleteCredential()
      }),
  }
  return keychain
}

async function withEntry<T>(account: string, use: (entry: AsyncEntry) => Promise<T>): Promise<T> {
  try {
    const { AsyncEntry } = await import('@napi-rs/keyring')
    const entry = new AsyncEntry(SERVICE, account, { linux: { store: 'secret-service' } })
    return await inTime(use(entry))
  } catch (cause) {
    throw keychainUseless(cause)
  }
}

export function keychainUseless(cause: unknown): CordonError {
  return new CordonError(
    'vault.keychain',
    {
      exit: 5,
      hint: 'Unlock the keychain of this desktop session, or run `cordon vault init --key passphrase` where there is none',
    },
    'Cannot use the OS keychain',
    cause,
  )
}

async function inTime<T>(work: Promise<T>): Promise<T> {
  const answered = new AbortController()
  const late = sleep(PATIENCE_MS, undefined, { signal: answered.signal, ref: false }).then(() => {
    throw new Error(`The keychain did not answer within ${PATIENCE_MS / 1000} s`)
  })
  late.catch(() => {}) // Aborted as soon as the keychain answers.
  try {
    return await Promise.race([work, late])
  } finally {
    answered.abort()
  }
}
