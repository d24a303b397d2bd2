/** Fake ports for tests of definitions: real folders on disk, everything else in memory. */
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { AuditEvent } from '../kernel/audit-record.ts'
import { OWNER } from '../kernel/principal.ts'
import type { VaultStatus } from '../kernel/vault-status.ts'
import type { DefinitionDeps } from './create-definitions.ts'

export interface FakeDeps extends DefinitionDeps, AsyncDisposable {
  /** The temporary folder that contains all others. */
  readonly base: string
  /** Every change in the order it happened: `journal`, `audit servers.import`, `vault set x`, `write y`. */
  readonly steps: string[]
  readonly events: AuditEvent[]
  readonly secrets: Map<string, Buffer>
  readonly journals: Map<string, { journal: string; undone: boolean }>
  vaultState: VaultStatus['state']
  /** Called before each change; a throw stands for a crash at that point. */
  beforeStep: (step: string) => void
  put(path: string, text: string): Promise<string>
}

export async function openFakeDeps(): Promise<FakeDeps> {
  const base = await realpath(await mkdtemp(join(tmpdir(), 'cordon-servers-')))
  const steps: string[] = []
  const events: AuditEvent[] = []
  const secrets = new Map<string, Buffer>()
  const journals = new Map<string, { journal: string; undone: boolean }>()
  const step = (what: string): void => {
    deps.beforeStep(what)
    steps.push(what)
  }
  const put = async (path: string, text: string | Uint8Array): Promise<string> => {
    const whole = path.startsWith('/') ? path : join(base, path)
    await mkdir(dirname(whole), { recursive: true })
    await writeFile(whole, text)
    return whole
  }
  const deps: FakeDeps = {
    base,
    owner: OWNER.id,
    steps,
    events,
    secrets,
    journals,
    vaultState: 'unlocked',
    beforeStep: () => undefined,
    put,
    userFolder: join(base, 'home/.cordon/mcp'),
    systemFolder: join(base, 'etc/cordon/mcp'),
    configPath: join(base, 'home/.cordon/config.toml'),
    homeFolder: join(base, 'home'),
    catalog: { parseLaunch: () => undefined },
    judgePath: (wanted) => (wanted === '/' ? 'it is the whole machine' : undefined),
    files: {
      read: (path) => readFile(path).catch(() => undefined),
      async write(path, content) {
        step(`write ${path}`)
        await put(path, content)
      },
      async remove(path) {
        step(`remove ${path}`)
        await rm(path, { force: true })
      },
    },
    ...fakeStore(journals, step),
    vault: fakeVault(secrets, step, () => deps.vaultState),
    audit: fakeAudit(events, step),
    [Symbol.asyncDispose]: () => rm(base, { recursive: true, force: true }),
  }
  return deps
}

function fakeAudit(events: AuditEvent[], step: (what: string) => void): FakeDeps['audit'] {
  return {
    async appendDurable(event) {
      step(`audit ${event.kind}`)
      events.push(event)
      return { ...event, seq: events.length, at: '', prev: '', hash: '' }
    },
  }
}

function fakeStore(
  journals: FakeDeps['journals'],
  step: (what: string) => void,
): Pick<FakeDeps, 'trust' | 'consents' | 'hashes' | 'journal'> {
  const trusted = new Map<string, string>()
  const known = new Map<string, string>()
  const agreed = new Map<string, string>()
  return {
    consents: {
      given: async (subject) => agreed.get(subject),
      give: async (subject, hash) => void agreed.set(subject, hash),
      withdraw: async (subject) => void agreed.delete(subject),
    },
    trust: {
      trustedHash: async (folder) => trusted.get(folder),
      trust: async (folder, hash) => void trusted.set(folder, hash),
      revoke: async (folder) => void trusted.delete(folder),
    },
    hashes: {
      get: async (path) => known.get(path),
      put: async (path, hash) => void known.set(path, hash),
      forget: async (path) => void known.delete(path),
    },
    journal: {
      async add(id, journal) {
        step('journal')
        journals.set(id, { journal, undone: false })
      },
      async find(id) {
        const open = [...journals].filter(([, entry]) => !entry.undone)
        const found = id === undefined ? open.at(-1) : open.find(([key]) => key === id)
        return found && { id: found[0], journal: found[1].journal }
      },
      async markUndone(id) {
        step('journal undone')
        const entry = journals.get(id)
        if (entry) entry.undone = true
      },
    },
  }
}

function fakeVault(
  secrets: Map<string, Buffer>,
  step: (what: string) => void,
  state: () => VaultStatus['state'],
): FakeDeps['vault'] {
  return {
    status: async () => ({ state: state(), secrets: secrets.size, warnings: [] }),
    has: async (_owner, name) => secrets.has(name),
    list: async () =>
      [...secrets.keys()].map((name) => ({ name, createdAt: '', updatedAt: '', damaged: false })),
    async set(_owner, name, value) {
      step(`vault set ${name}`)
      if (state() !== 'unlocked') throw new Error('locked')
      const replaced = secrets.has(name)
      secrets.set(name, Buffer.from(value))
      return { replaced }
    },
    async remove(_owner, name) {
      step(`vault remove ${name}`)
      return { removed: secrets.delete(name) }
    },
    async lease(_owner, refs) {
      if (state() !== 'unlocked') throw new Error('locked')
      return {
        value: (key) => secrets.get(refs[key]?.name ?? '') ?? Buffer.alloc(0),
        [Symbol.asyncDispose]: async () => undefined,
      }
    },
  }
}
