/** Where the key that wraps the master keys comes from: the OS keychain, a passphrase, or a key file. */
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
  /** The best source this machine has. A passphrase that was given is a choice, and wins. */
  choose(passphrase: string | undefined): Promise<KeySource>
  /** Refuses a keychain that does not work, and a new passphrase that is missing, weak or of no use to the source. */
  check(source: KeySource, passphrase: string | undefined): Promise<void>
  /** A new key, already kept where its source keeps keys. */
  create(source: KeySource, vault: string, passphrase: string | undefined): Promise<WrappingKey>
  /** The key that the header was wrapped with. Whether it fits is for the caller to see. */
  fetch(header: Header, passphrase: string | undefined): Promise<WrappingKey>
  /** Removes the key from where this source keeps it. */
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

/** A passphrase that nothing would check must not look as if it had been the right one. */
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
