/**
 * The life of the vault's keys: made, unlocked, rotated, locked. The state is the header on disk and, while unlocked,
 * one keyring in memory. Every change but `lock` is in the audit log before it takes effect. Callers run one at a time.
 */
import type { AuditKind } from '../kernel/audit-kinds.ts'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { KeySource } from '../kernel/vault-status.ts'
import type { Header, HeaderFile } from './header.ts'
import { type KeySources, needPassphrase } from './key-sources.ts'
import {
  afterRotation,
  createKeyring,
  type Keyring,
  newId,
  openKeyring,
  wipeKeyring,
  withNewMaster,
  wrapKeyring,
} from './keyring.ts'
import { type RecordFiles, reencryptRecords } from './record-files.ts'
import type { UnlockAttempts } from './unlock-attempts.ts'
import { keyDoesNotFit, vaultAbsent, vaultLocked } from './vault-errors.ts'

interface Parts {
  readonly owner: PrincipalId
  readonly header: HeaderFile
  readonly sources: KeySources
  readonly records: RecordFiles
  readonly attempts: UnlockAttempts
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly log: Log
}

export class VaultKeys {
  readonly #parts: Parts
  #ring: Keyring | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The keys, while the vault is unlocked. */
  get ring(): Keyring | undefined {
    return this.#ring
  }

  /** The keychain if it works here, else a key file. */
  async bestSource(): Promise<KeySource> {
    return await this.#parts.sources.choose(undefined)
  }

  /** The keys, or the refusal that fits: no vault, or locked. */
  async need(action: string): Promise<Keyring> {
    if (this.#ring) return this.#ring
    throw (await this.#parts.header.read()) ? vaultLocked(action) : vaultAbsent(action)
  }

  /**
   * Like `need`, for writers: the header on disk must hold the active key, or a new record could never be read again.
   */
  async needForWriting(action: string): Promise<Keyring> {
    const ring = await this.need(action)
    const header = await this.#parts.header.read()
    if (header?.keys.some((key) => key.id === ring.active)) return ring
    this.close() // The vault on disk was replaced; records under our key could not be read with it.
    throw header ? vaultLocked(action) : vaultAbsent(action)
  }

  async init(source: KeySource | undefined, passphrase: string | undefined): Promise<void> {
    if (await this.#parts.header.read()) throw vaultExists()
    const chosen = source ?? (await this.#parts.sources.choose(passphrase))
    await this.#parts.sources.check(chosen, passphrase)
    await this.#audit('vault.init', { source: chosen })
    const vault = newId()
    const ring = createKeyring(vault, await this.#parts.sources.create(chosen, vault, passphrase))
    await this.#parts.header.write(wrapKeyring(ring))
    this.#ring = ring
  }

  async unlock(passphrase: string | undefined): Promise<void> {
    const header = await this.#parts.header.read()
    if (!header) throw vaultAbsent('unlock the vault')
    const ring = await this.#open(header, passphrase)
    await this.#audit('vault.unlock', { source: header.keySource }).catch((error: unknown) => {
      wipeKeyring(ring)
      throw error
    })
    this.close()
    this.#ring = ring
    await this.#finishRotation().catch((error: unknown) => {
      this.#parts.log.warn('A rotation of the vault is not finished yet', { error })
    })
  }

  /** Locks first and records afterwards: the only change that needs no record, because it only takes access away. */
  async lock(): Promise<void> {
    if (!this.#ring) return
    this.close()
    await this.#audit('vault.lock', {})
  }

  /** Locks without an audit record, when the process ends. */
  close(): void {
    if (this.#ring) wipeKeyring(this.#ring)
    this.#ring = undefined
  }

  /**
   * The number of re-encrypted records. After an interruption old and new records both open, and the next unlock
   * finishes.
   */
  async rotate(passphrase: string | undefined): Promise<number> {
    const ring = await this.needForWriting('rotate the key of the vault')
    const { sources, header } = this.#parts
    if (passphrase !== undefined) await sources.check('passphrase', passphrase)
    const source = passphrase === undefined ? ring.wrapping.source : 'passphrase'
    await this.#audit('vault.rotate', { source })
    const wrapping =
      passphrase === undefined
        ? ring.wrapping
        : await sources.create('passphrase', ring.vault, passphrase)
    const next = withNewMaster(ring, wrapping)
    await header.write(wrapKeyring(next))
    this.#ring = next
    if (wrapping !== ring.wrapping) ring.wrapping.bytes.fill(0)
    return await this.#finishRotation()
  }

  /** For a passphrase vault, a wrong passphrase and an altered header give the same answer, after the same work. */
  async #open(header: Header, passphrase: string | undefined): Promise<Keyring> {
    const { sources, attempts } = this.#parts
    const guarded = header.keySource === 'passphrase'
    if (guarded) {
      needPassphrase(passphrase)
      await attempts.begin()
    }
    const wrapping = await sources.fetch(header, passphrase)
    const ring = openKeyring(header, wrapping)
    if (ring) {
      if (guarded) await attempts.succeeded()
      return ring
    }
    wrapping.bytes.fill(0)
    await this.#audit('vault.refused', { source: header.keySource })
    throw guarded ? wrongPassphrase() : keyDoesNotFit()
  }

  /** Re-encrypts the records, then drops the old keys. An old key stays while a damaged record might need it. */
  async #finishRotation(): Promise<number> {
    const ring = this.#ring
    if (!ring || (ring.masters.size === 1 && !ring.retired)) return 0
    const { moved, damaged } = await reencryptRecords(this.#parts.records, ring)
    if (ring.retired) await this.#parts.sources.retire(ring.retired, ring.vault)
    const done = afterRotation(ring, damaged > 0)
    await this.#parts.header.write(wrapKeyring(done))
    this.#ring = done
    for (const [id, master] of ring.masters) if (!done.masters.has(id)) master.fill(0)
    return moved
  }

  async #audit(kind: AuditKind, details: { readonly source?: KeySource }): Promise<void> {
    const { audit, owner } = this.#parts
    await audit.appendDurable({ kind, principal: owner, subject: 'vault', details })
  }
}

function vaultExists(): CordonError {
  return new CordonError(
    'vault.exists',
    { exit: 2, hint: 'Run `cordon vault status` to see the vault that is there' },
    'Cannot make a vault: there is one already',
  )
}

function wrongPassphrase(): CordonError {
  return new CordonError(
    'vault.passphrase',
    {
      exit: 4,
      hint: 'Check the passphrase, then run `cordon vault unlock` again; if it is forgotten, `cordon vault reset` makes room for a new vault',
    },
    'Cannot unlock the vault with this passphrase',
  )
}
