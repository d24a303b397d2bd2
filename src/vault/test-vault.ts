/**
 * For this room's tests: a vault in a temporary folder, with a settable clock, a readable log and a readable audit log.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AuditEvent } from '../kernel/audit-record.ts'
import { CordonError } from '../kernel/error.ts'
import type { Files, Vault } from '../kernel/ports.ts'
import { OWNER, type PrincipalId } from '../kernel/principal.ts'
import { never } from '../kernel/test-never.ts'
import { pinByName } from '../kernel/test-pin-path.ts'
import type { KdfCost } from './header.ts'
import type { Keychain } from './keychain.ts'
import { openVault, type VaultParts } from './open-vault.ts'
import { createRedactor, type TeachableRedactor } from './redactor.ts'

export const CHEAP: KdfCost = { memoryKiB: 128, passes: 1, parallelism: 1 }
export const ME: PrincipalId = OWNER.id
export const NOW: number = Date.parse('2026-01-02T03:04:05.678Z')

export interface TestHome extends Disposable {
  readonly folder: string
  readonly vaultFolder: string
  readonly files: Files
  readonly events: AuditEvent[]
  readonly warnings: { readonly message: string; readonly fields: unknown }[]
  readonly redactor: TeachableRedactor
  readonly clock: { now: number }
  /** Opens the vault as a new process would. */
  open(changes?: Partial<VaultParts>): Promise<Vault & AsyncDisposable>
  /** Every path below the vault folder that holds a file. */
  paths(): Promise<readonly string[]>
}

export function createTestHome(): TestHome {
  const folder = mkdtempSync(join(tmpdir(), 'cordon-vault-'))
  const vaultFolder = join(folder, 'vault')
  mkdirSync(vaultFolder, { mode: 0o700 })
  const home: TestHome = {
    folder,
    vaultFolder,
    files: createTestFiles(),
    events: [],
    warnings: [],
    redactor: createRedactor(),
    clock: { now: NOW },
    open: (changes) => openVault({ ...partsOf(home), ...changes }),
    async paths() {
      const found = await readdir(vaultFolder, { recursive: true, withFileTypes: true })
      return found.filter((entry) => entry.isFile()).map((e) => join(e.parentPath, e.name))
    },
    [Symbol.dispose]: () => rmSync(folder, { recursive: true }),
  }
  return home
}

function partsOf(home: TestHome): VaultParts {
  const { files, redactor, events, warnings, clock } = home
  return {
    owner: ME,
    folder: home.vaultFolder,
    homeFolder: home.folder,
    files,
    redactor,
    keychain: createTestKeychain(),
    environment: {},
    pinPath: pinByName,
    audit: {
      async appendDurable(event) {
        events.push(event)
        return { ...event, seq: events.length, at: '', prev: '', hash: '' }
      },
    },
    log: {
      info: () => {},
      warn: (message, fields) => void warnings.push({ message, fields }),
      error: () => {},
    },
    now: () => clock.now,
    dangerouslyCheapKdf: CHEAP,
  }
}

/** Whole files by rename, like the real ones, but without waiting for the disk. */
export function createTestFiles(): Files {
  const orNothing = (error: NodeJS.ErrnoException): undefined => {
    if (error.code !== 'ENOENT') throw error
  }
  return {
    read: (path) => readFile(path).catch(orNothing),
    list: async (folder) => ((await readdir(folder).catch(orNothing)) ?? []).sort(),
    async write(path, content) {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const temporary = join(dirname(path), `.${randomUUID()}.tmp`)
      await writeFile(temporary, content, { mode: 0o600 })
      await rename(temporary, path)
    },
    remove: (path) => rm(path, { force: true }),
  }
}

/** A keychain with its entries in memory. */
export function createTestKeychain(entries: Map<string, Buffer> = new Map()): Keychain {
  return {
    probe: async () => undefined,
    read: async (account) => {
      const key = entries.get(account)
      return key && Buffer.from(key)
    },
    write: async (account, key) => void entries.set(account, Buffer.from(key)),
    remove: async (account) => void entries.delete(account),
  }
}

export const NO_KEYCHAIN: Keychain = {
  probe: async () => 'Cannot use the OS keychain',
  read: refuse,
  write: refuse,
  remove: refuse,
}

async function refuse(): Promise<never> {
  throw new CordonError('vault.keychain', { exit: 5, hint: 'Plug one in' }, 'Cannot use it')
}

/** Lets `count` changes happen, then fails that change and every later one, as if the process had been killed. */
export function dyingFiles(files: Files, count: number): Files {
  let left = count
  const change = async (work: () => Promise<void>): Promise<void> => {
    if (left <= 0) throw new Error('killed')
    left -= 1
    await work()
  }
  return {
    ...files,
    write: (path, content) => change(() => files.write(path, content)),
    remove: (path) => change(() => files.remove(path)),
  }
}

/** The value of one vault secret, taken by lease, as text. */
export async function lend(vault: Vault, name: string, owner: PrincipalId = ME): Promise<string> {
  const ref = { scheme: 'vault', name } as const
  await using lease = await vault.lease(owner, { it: ref }, never)
  return lease.value('it').toString()
}

/** For `assert.rejects`: an error with this code. */
export function refusal(code: string): { name: string; code: string } {
  return { name: 'CordonError', code }
}
