/**
 * The keys of an unlocked vault, in memory: master keys that encrypt records, and the key that wraps them. Keys go to
 * and from disk only through `wrapKeyring` and `openKeyring`; `wipeKeyring` overwrites them.
 */
import { randomBytes } from 'node:crypto'
import type { JsonObject } from '../text/json.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import type { Header, Kdf } from './header.ts'
import { KEY_LENGTH, seal, unseal } from './sealed-box.ts'

/** The key-encryption key, and the parameters that derive it again. */
export interface WrappingKey {
  readonly source: KeySource
  readonly bytes: Buffer
  readonly kdf?: Kdf
}

export interface Keyring {
  readonly vault: string
  readonly wrapping: WrappingKey
  readonly masters: ReadonlyMap<string, Buffer>
  readonly active: string
  readonly retired?: KeySource
}

export function newId(): string {
  return randomBytes(16).toString('hex')
}

export function createKeyring(vault: string, wrapping: WrappingKey): Keyring {
  const active = newId()
  return { vault, wrapping, masters: new Map([[active, randomBytes(KEY_LENGTH)]]), active }
}

/** The same ring with one more master key, which encrypts all new records. */
export function withNewMaster(ring: Keyring, wrapping: WrappingKey): Keyring {
  const active = newId()
  const masters = new Map([...ring.masters, [active, randomBytes(KEY_LENGTH)]])
  const moved = ring.wrapping.source === wrapping.source ? ring.retired : ring.wrapping.source
  return { vault: ring.vault, wrapping, masters, active, ...(moved && { retired: moved }) }
}

/** The ring after every record, or every undamaged record, is encrypted with the active key. */
export function afterRotation(ring: Keyring, keepOldKeys: boolean): Keyring {
  const { vault, wrapping, active } = ring
  const needed = [...ring.masters].filter(([id]) => keepOldKeys || id === active)
  return { vault, wrapping, masters: new Map(needed), active }
}

/** Undefined when the key is wrong or the header was altered: authenticated decryption cannot distinguish the two. */
export function openKeyring(header: Header, wrapping: WrappingKey): Keyring | undefined {
  const masters = new Map<string, Buffer>()
  for (const key of header.keys) {
    const master = unseal(wrapping.bytes, key, boundTo(header.vault, header.keySource, key.id))
    if (master?.length !== KEY_LENGTH) {
      for (const opened of masters.values()) opened.fill(0)
      return undefined
    }
    masters.set(key.id, master)
  }
  const retired = header.retired && { retired: header.retired }
  return { vault: header.vault, wrapping, masters, active: header.activeKey, ...retired }
}

export function wrapKeyring(ring: Keyring): Header {
  const { source, bytes, kdf } = ring.wrapping
  const keys = [...ring.masters].map(([id, master]) => ({
    id,
    ...seal(bytes, master, boundTo(ring.vault, source, id)),
  }))
  return {
    version: 1,
    vault: ring.vault,
    keySource: source,
    ...(kdf && { kdf }),
    activeKey: ring.active,
    keys,
    ...(ring.retired && { retired: ring.retired }),
  }
}

export function wipeKeyring(ring: Keyring): void {
  ring.wrapping.bytes.fill(0)
  for (const master of ring.masters.values()) master.fill(0)
}

function boundTo(vault: string, source: KeySource, key: string): JsonObject {
  return { purpose: 'cordon/vault/key', version: 1, vault, source, key }
}
