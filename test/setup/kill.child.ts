/**
 * A connection over the real store, vault and definitions, which kills itself at a chosen point. Without a point it
 * resumes the stored connection, goes on as a person would, and prints the outcome. The chat is a folder with one file
 * per message.
 */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { createFiles } from '../../src/home/files.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { Log, Notes } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { createDefinitions } from '../../src/definitions/create-definitions.ts'
import { createSetup, type OwnedSetup } from '../../src/setup/create-setup.ts'
import { openStore } from '../../src/store/open-store.ts'
import { openRealVault } from '../vault/real-vault.ts'
import { dieHere } from '../fixtures/doomed-child.ts'
import { BAD, GOOD } from './fake-chat.ts'
import { createWorld, NEVER, notion } from './fake-world.ts'

const [folder = '', killAt = ''] = process.argv.slice(2)
const place = (name: string): string => {
  const whole = path.join(folder, name)
  mkdirSync(whole, { recursive: true, mode: 0o700 })
  return whole
}
const chat = place('chat')
const errors: unknown[] = []
const log: Log = {
  info: () => undefined,
  warn: () => undefined,
  error: (...said) => void errors.push(said),
}
const events = { appendDurable: async () => ({ seq: 1, hash: '' }) }

function die(point: string): void {
  if (point === killAt) dieHere()
}

/** Kills the process as soon as the chosen note is on disk: a kind, or a state with its number of attempts. */
function deadly(notes: Notes): Notes {
  return {
    ...notes,
    async put(kind, id, content) {
      await notes.put(kind, id, content)
      const [, attempts = '', state = ''] =
        /"attempts":(\d).*"state":\{"kind":"([a-z]+)"/.exec(content) ?? []
      die(state === '' ? kind : `${state} ${attempts}`)
    },
  }
}

await using store = await openStore({ sqlitePath: path.join(place('.'), 'state.db'), log })
const tables = store.forOwner(OWNER.id)
await using vault = await openRealVault(place('vault'))
if ((await vault.status()).state === 'absent') await vault.init('keyfile')
const definitions = createDefinitions({
  owner: OWNER.id,
  files: createFiles(),
  audit: events,
  userFolder: place('mcp'),
  systemFolder: path.join(folder, 'nowhere'),
  configPath: path.join(folder, 'config.toml'),
  homeFolder: folder,
  trust: tables.projectTrust,
  consents: tables.consents,
  hashes: tables.definitionHashes,
  journal: tables.importJournal,
  vault,
  catalog: { parseLaunch: () => undefined },
  judgePath: () => undefined,
})
const world = createWorld()

/** States without a note of their own: the process is killed when their audit record is appended. */
const UNNOTED = /^setup\.(installing|verifying|connected)$/
const audit = {
  append(event: AuditEvent): never {
    const state = UNNOTED.exec(event.kind)?.[1]
    if (state !== undefined) die(`${state} ${JSON.stringify(event.details?.['attempts'])}`)
    return {} as never
  },
}

/** Whether a server that is started now would be given the good token. */
async function isAccepted(): Promise<boolean> {
  const { servers } = await definitions.load()
  const found = servers.find(({ definition }) => definition.id === notion)
  if (!found) return false
  await using lease = await vault.lease(OWNER.id, found.definition.auth, NEVER)
  return lease.value('NOTION_TOKEN').toString() === GOOD
}

const label = { integrity: 'external', level: 'internal', origins: new Set<string>() } as const
const setup: OwnedSetup = createSetup({
  ...world.rooms(),
  notes: deadly(tables.notes),
  audit,
  vault: {
    status: () => vault.status(),
    isThere: () => vault.isThere(),
    has: (owner, name) => vault.has(owner, name),
    resolves: (owner, ref) => vault.resolves(owner, ref),
    list: (owner) => vault.list(owner),
    async set(owner, name, value) {
      const result = await vault.set(owner, name, value)
      die('set')
      return result
    },
  },
  definitions: {
    migrate: (request) => definitions.migrate(request),
    load: (folder) => definitions.load(folder),
    edit: (server, changes) => definitions.edit(server, changes),
    remove: (server, options) => definitions.remove(server, options),
    async add(server, changes) {
      const added = await definitions.add(server, changes)
      die('add')
      return added
    },
  },
  servers: {
    ...world.rooms().servers,
    start: async (server) => ({
      server,
      badge: 'connected',
      tools: 2,
      quarantined: 0,
      restarts: 0,
    }),
    stop: async (server) => ({
      server,
      badge: 'idle',
      tools: 2,
      quarantined: 0,
      restarts: 0,
    }),
  },
  callTool: async () =>
    (await isAccepted())
      ? { kind: 'ok', value: {}, label }
      : { kind: 'failed', reason: '401 Unauthorized' },
  outlet: {
    say: async () => undefined,
    remove: async ({ message }) => {
      rmSync(path.join(chat, message), { force: true })
      die('delete')
      return true
    },
  },
  now: Date.now,
  sleep: (ms, signal) => pause(ms, undefined, { signal, ref: false }),
})

async function send(text: string): Promise<void> {
  const message = String(readdirSync(chat).length + Math.random())
  writeFileSync(path.join(chat, message), text)
  await setup.take({ principal: OWNER, text, ref: { channel: 'test', chat: 'c', message } }, NEVER)
  await atRest()
}

async function atRest(): Promise<string | undefined> {
  for (;;) {
    const view = setup.view()
    const isWorking = view && ['installing', 'connecting', 'verifying'].includes(view.phase)
    if (!isWorking) return view?.phase
    await setup.follow(view.connection, view.version, NEVER)
  }
}

await setup.resume()
const resumed = await atRest()
if (killAt === '') {
  if (resumed === undefined && !(await isAccepted())) await send('connect notion')
  if (setup.view()?.phase === 'awaiting-credential') await send(GOOD)
} else {
  for (const text of ['connect notion', BAD, GOOD]) await send(text)
}
const { servers } = await definitions.load()
console.log(
  JSON.stringify({
    resumed: resumed ?? null,
    phase: setup.view()?.phase ?? null,
    isAccepted: await isAccepted(),
    servers: servers.map(({ definition }) => definition.id),
    secrets: (await vault.list(OWNER.id)).map(({ name }) => name),
    notes: (await tables.notes.list('setup.flow')).length,
    deletions: (await tables.notes.list('setup.deletion')).length,
    chat: readdirSync(chat).length,
    errors,
  }),
)
