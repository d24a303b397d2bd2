/** The sources of the key-encryption key, which wraps the master keys: the OS keychain, a passphrase, or a key file. */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Files } from '../kernel/ports.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import type { Header, KdfCost } from './header.ts'
import { readKeyFile } from './key-file.ts'
import { type Keychain, keychainUseless } from './keychain.ts'
import type { WrappingKey } from './keyring.ts'
import { checkPassphrase, createKdf, deriveKey } from './passphrase-key.ts'
import { KEY_LENGTH } from './sealed-box.ts'
import { keyDoesNotFit } from './vault-errors.ts'

export interface KeySources {
  /** The best source of this machine: the keychain, or else a key file. A given passphrase wins over both. */
  choose(passphrase: string | undefined): Promise<KeySource>
  /**
   * Refuses a keychain that does not work, a new passphrase that is missing or weak, and a passphrase for another
   * source.
   */
  check(source: KeySource, passphrase: string | undefined): Promise<void>
  /** A new key; a random one is already stored in its source. */
  create(source: KeySource, vault: string, passphrase: string | undefined): Promise<WrappingKey>
  /** The key-encryption key of this header. Whether the header opens with it is for the caller to check. */
  fetch(header: Header, passphrase: string | undefined): Promise<WrappingKey>
  /** Deletes the key from the keychain or from the key file. */
  retire(source: KeySource, vault: string): Promise<void>
}

interface Parts {
  readonly folder: string
  readonly files: Files
  readonly keychain: Keychain
  readonly cost: KdfCost
}

export function createKeySources(parts: Parts): KeySources {
  const keyFile = join(parts.folder, 'key')
  return {
    async choose(passphrase): Promise<KeySource> {
      if (passphrase !== undefined) return 'passphrase'
      return (await parts.keychain.probe()) === undefined ? 'keychain' : 'keyfile'
    },

    async check(source, passphrase): Promise<void> {
      if (source === 'passphrase') checkPassphrase(needPassphrase(passphrase))
      else refusePassphrase(source, passphrase)
      const problem = source === 'keychain' ? await parts.keychain.probe() : undefined
      if (problem !== undefined) throw keychainUseless(problem)
    },

    async create(source, vault, passphrase): Promise<WrappingKey> {
      if (source === 'passphrase') {
        const kdf = createKdf(parts.cost)
        return { source, kdf, bytes: await deriveKey(needPassphrase(passphrase), kdf) }
      }
      const bytes = randomBytes(KEY_LENGTH)
      if (source === 'keychain') await parts.keychain.write(account(vault), bytes)
      else await parts.files.write(keyFile, bytes)
      return { source, bytes }
    },

    async fetch({ keySource: source, kdf, vault }, passphrase): Promise<WrappingKey> {
      if (kdf) return { source, kdf, bytes: await deriveKey(needPassphrase(passphrase), kdf) }
      refusePassphrase(source, passphrase)
      if (source === 'keyfile') return { source, bytes: await readKeyFile(keyFile) }
      const bytes = await parts.keychain.read(account(vault))
      if (bytes?.length !== KEY_LENGTH) throw keyDoesNotFit()
      return { source, bytes }
    },

    async retire(source, vault): Promise<void> {
      if (source === 'keychain') await parts.keychain.remove(account(vault))
      if (source === 'keyfile') await parts.files.remove(keyFile)
    },
  }
}

function account(vault: string): string {
  return `vault-${vault}`
}

export function needPassphrase(passphrase: string | undefined): string {
  if (passphrase !== undefined) return passphrase
  throw new CordonError(
    'vault.passphrase-missing',
    { exit: 2, hint: 'Run the command again in a terminal, where it can ask for the passphrase' },
    'Cannot open this vault without a passphrase',
  )
}

/** Refused instead of ignored: an unchecked passphrase must not look as if it had been the right one. */
function refusePassphrase(source: KeySource, passphrase: string | undefined): void {
  if (passphrase === undefined) return
  throw new CordonError(
    'vault.no-passphrase',
    {
      exit: 2,
      hint: 'Leave the passphrase out, or run `cordon vault rotate --passphrase` to set one',
    },
    `Cannot take a passphrase: the key of this vault comes from a ${source}`,
  )
}
