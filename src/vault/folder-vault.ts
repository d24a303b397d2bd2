/**
 * Secrets at rest, lent by lease. Never logs a value, never returns one outside a lease; every set, remove and lease is
 * in the audit log before it happens. Names are not secret: `has`, `list` and `remove` work on a locked vault. Locked
 * means that no key and no secret is in this process, except values that are still on lease.
 */
import type { AuditKind } from '../kernel/audit-kinds.ts'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Files, Lease, PortableVault, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { SECRET_NAME, type SecretRef, showSecretRef } from '../kernel/secret-ref.ts'
import type { KeySource, SecretInfo, VaultStatus } from '../kernel/vault-status.ts'
import type { HeaderFile } from './header.ts'
import { type Leases, wipe } from './leases.ts'
import { createSerialQueue, type SerialQueue } from '../text/serial-queue.ts'
import { openRecord, recordId, sealRecord } from './record.ts'
import type { RecordFiles } from './record-files.ts'
import type { TeachableRedactor } from './redactor.ts'
import { isPresentOutside, type RefSources, resolveRef, storedName } from './resolve-ref.ts'
import { portableVault } from './portable-vault.ts'
import { listSecrets, surveyVault } from './survey-vault.ts'
import { setAsideFolder } from './set-aside-folder.ts'
import { secretDamaged, secretMissing, vaultAbsent, vaultLocked } from './vault-errors.ts'
import type { VaultKeys } from './vault-keys.ts'

const MOST_BYTES = 65_536

interface Parts {
  readonly owner: PrincipalId
  readonly header: HeaderFile
  readonly records: RecordFiles
  readonly keys: VaultKeys
  readonly leases: Leases
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly redactor: TeachableRedactor
  readonly refs: Omit<RefSources, 'readSecret'>
  readonly files: Pick<Files, 'read' | 'list'>
}

export class FolderVault implements Vault, AsyncDisposable {
  readonly #parts: Parts
  /** Runs operations one at a time, so that no operation reads the keys while another changes them. */
  readonly #queue: SerialQueue = createSerialQueue()
  /** Why the vault did not unlock by itself, for people. */
  #stuck: string | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  async status(): Promise<VaultStatus> {
    const { header, records, keys } = this.#parts
    const survey = await this.#queue(() => surveyVault(header, records, keys.ring))
    const { warnings, ...status } = survey
    const stuck = this.#stuck !== undefined && status.state === 'locked' ? [this.#stuck] : []
    return { ...status, warnings: [...warnings, ...stuck] }
  }

  async isThere(): Promise<boolean> {
    return await this.#queue(() => this.#hasHeader())
  }

  /** Never fails: a vault that cannot be opened must not keep the rest from starting. */
  async unlockByItself(): Promise<void> {
    try {
      const header = await this.#parts.header.read()
      if (!header || header.keySource === 'passphrase') return
      await this.unlock()
    } catch (error) {
      // A damaged header is reported by every status already.
      if (error instanceof CordonError && error.code === 'vault.header') return
      this.#stuck = explain(error)
      this.#parts.refs.log.warn('The vault did not unlock by itself', { reason: this.#stuck })
    }
  }

  async init(source?: KeySource, passphrase?: string): Promise<VaultStatus> {
    await this.#queue(() => this.#parts.keys.init(source, passphrase))
    return await this.status()
  }

  async unlock(passphrase?: string): Promise<VaultStatus> {
    await this.#queue(() => this.#parts.keys.unlock(passphrase))
    this.#stuck = undefined
    return await this.status()
  }

  async lock(): Promise<VaultStatus> {
    await this.#queue(async () => {
      this.#parts.leases.forgetReturned()
      await this.#parts.keys.lock()
    })
    return await this.status()
  }

  async sources(): Promise<readonly KeySource[]> {
    const best = await this.#parts.keys.bestSource()
    return best === 'keychain' ? ['keychain', 'passphrase', 'keyfile'] : ['passphrase', 'keyfile']
  }

  async setAside(): Promise<{ readonly folder: string }> {
    const { keys, leases, owner, refs } = this.#parts
    return await this.#queue(async () => {
      if (!(await this.#hasHeader())) throw vaultAbsent('set the vault aside')
      await this.#audit('vault.set-aside', owner, 'vault', {})
      leases.forgetReturned()
      keys.close()
      this.#stuck = undefined
      return { folder: await setAsideFolder(refs.vaultFolder, refs.now()) }
    })
  }

  async rotate(passphrase?: string): Promise<{ readonly records: number }> {
    return { records: await this.#queue(() => this.#parts.keys.rotate(passphrase)) }
  }

  async portable(): Promise<PortableVault> {
    const { refs, ...parts } = this.#parts
    return await this.#queue(() => portableVault({ ...parts, folder: refs.vaultFolder }))
  }

  async list(owner: PrincipalId): Promise<readonly SecretInfo[]> {
    const { records, keys, owner: homeOwner } = this.#parts
    return await this.#queue(() => listSecrets(records, keys.ring, owner, homeOwner))
  }

  async has(owner: PrincipalId, name: string): Promise<boolean> {
    const state = await this.#parts.records.inspect(recordId(owner, checkName(name)), undefined)
    return state.kind !== 'absent'
  }

  async set(
    owner: PrincipalId,
    name: string,
    value: Uint8Array,
  ): Promise<{ readonly replaced: boolean }> {
    const id = recordId(owner, checkName(name))
    checkValue(name, value)
    const { keys, records, redactor, refs } = this.#parts
    return await this.#queue(async () => {
      const ring = await keys.needForWriting(`store secret ${JSON.stringify(name)}`)
      const before = await records.inspect(id, ring)
      const replaced = before.kind !== 'absent'
      await this.#audit('vault.set', owner, name, { replaced })
      redactor.learn(value)
      const updatedAt = new Date(refs.now()).toISOString()
      const createdAt = before.kind === 'intact' ? before.record.createdAt : updatedAt
      const about = { principal: owner, name, createdAt, updatedAt }
      await records.write(id, sealRecord(ring, about, value))
      return { replaced }
    })
  }

  async remove(owner: PrincipalId, name: string): Promise<{ readonly removed: boolean }> {
    const id = recordId(owner, checkName(name))
    return await this.#queue(async () => {
      const removed = await this.has(owner, name)
      await this.#audit('vault.remove', owner, name, { removed })
      await this.#parts.records.remove(id)
      return { removed }
    })
  }

  async resolves(owner: PrincipalId, ref: SecretRef): Promise<boolean> {
    const { keys, records, refs } = this.#parts
    const name = storedName(ref)
    if (name === undefined) return await isPresentOutside(ref, refs)
    if (!keys.ring) return false
    const state = await records.inspect(recordId(owner, name), undefined)
    return state.kind === 'intact'
  }

  async lease(
    owner: PrincipalId,
    refs: Readonly<Record<string, SecretRef>>,
    signal: AbortSignal,
  ): Promise<Lease> {
    const sources = { ...this.#parts.refs, readSecret: (name: string) => this.#read(owner, name) }
    const values = new Map<string, Buffer>()
    try {
      for (const [key, ref] of Object.entries(refs)) {
        signal.throwIfAborted()
        values.set(key, await resolveRef(ref, sources))
      }
      await this.#auditLease(owner, Object.values(refs))
      this.#refuseIfLockedSince(Object.values(refs))
      return this.#parts.leases.lend(values)
    } catch (error) {
      wipe(values)
      throw error
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#queue(async () => this.#parts.keys.close())
  }

  /** A header that cannot be read is a vault too; setting it aside is its way out. */
  async #hasHeader(): Promise<boolean> {
    return await this.#parts.header.read().then(Boolean, () => true)
  }

  async #read(owner: PrincipalId, name: string): Promise<Buffer> {
    const id = recordId(owner, checkName(name))
    return await this.#queue(async () => {
      const ring = await this.#parts.keys.need(`lend secret ${JSON.stringify(name)}`)
      const state = await this.#parts.records.inspect(id, undefined)
      if (state.kind === 'absent') throw secretMissing(name)
      const value = state.kind === 'intact' ? openRecord(ring, state.record) : undefined
      if (!value) throw secretDamaged(name)
      return value
    })
  }

  /** Refuses a lease that was requested while the vault was unlocked and is ready only after it was locked. */
  #refuseIfLockedSince(refs: readonly SecretRef[]): void {
    if (this.#parts.keys.ring) return
    const kept = refs.find((ref) => storedName(ref) !== undefined)
    if (kept) throw vaultLocked(`lend secret ${JSON.stringify(kept.name)}`)
  }

  async #auditLease(owner: PrincipalId, refs: readonly SecretRef[]): Promise<void> {
    if (refs.length === 0) return
    const names = refs.map((ref) => ref.name).join(', ')
    await this.#audit('vault.lend', owner, names, { refs: refs.map(showSecretRef) })
  }

  async #audit(
    kind: AuditKind,
    principal: PrincipalId,
    subject: string,
    details: Readonly<Record<string, boolean | readonly string[]>>,
  ): Promise<void> {
    await this.#parts.audit.appendDurable({ kind, principal, subject, details })
  }
}

function checkName(name: string): string {
  if (SECRET_NAME.test(name)) return name
  throw new CordonError(
    'vault.name',
    {
      exit: 2,
      hint: 'Use letters, digits and `._/@-`, at most 128 characters, a letter or digit at both ends',
    },
    'Cannot use this name for a secret',
  )
}

function checkValue(name: string, value: Uint8Array): void {
  if (value.length >= 1 && value.length <= MOST_BYTES) return
  throw new CordonError(
    'vault.value',
    { exit: 2, hint: `Run \`cordon vault set ${name}\` with a value of 1 to ${MOST_BYTES} bytes` },
    `Cannot store secret ${JSON.stringify(name)}: the value is ${value.length === 0 ? 'empty' : 'too long'}`,
  )
}

function explain(error: unknown): string {
  return error instanceof CordonError ? `${error.message}. ${error.hint}.` : String(error)
}
