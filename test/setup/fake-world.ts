/**
 * All rooms in memory, for tests of connections: disk, chat and running servers outlive a crash of the setup room;
 * `crashAt` ends one instance of it at an exact point, as `kill -9` would.
 */
import type { InstallProgress } from '../../src/ports/catalog-port.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { DefinitionChanges } from '../../src/kernel/definition-change.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Meant, Message, MessageRef, Reply } from '../../src/kernel/receive.ts'
import { parseSecretRef } from '../../src/kernel/secret-ref.ts'
import { parseServerId, type ServerId } from '../../src/kernel/server-id.ts'
import type { ToolResult } from '../../src/kernel/tool-call.ts'
import { createAccountNames } from '../../src/setup/connection/account-names.ts'
import { createSetup, type OwnedSetup } from '../../src/setup/create-setup.ts'
import type { SetupDeps } from '../../src/setup/setup-deps.ts'
import { loadedOf, refusal, stateOf, toolOf } from './fake-server.ts'
import { CATALOG } from './fake-services.ts'

export { never as NEVER } from '../../src/kernel/test-never.ts'

export interface World {
  readonly notes: Map<string, { kind: string; id: string; content: string }>
  readonly secrets: Map<string, { value: string; updatedAt: number; sets: number }>
  readonly definitions: Map<ServerId, DefinitionChanges>
  /** Servers that run, with the values they were started with. */
  readonly running: Map<ServerId, readonly string[]>
  /** Messages that can still be read in the chat. */
  readonly chat: Map<string, string>
  /** Messages sent into the chat besides the replies. */
  readonly outbox: string[]
  readonly audit: AuditEvent[]
  readonly steps: string[]
  readonly accepted: Set<string>
  tools: string[]
  blocked: string[]
  vault: 'absent' | 'locked' | 'unlocked'
  now: number
  /** Hooks by which a test replaces or delays an effect. */
  odd: {
    remove?: () => boolean
    set?: () => void
    start?: (server: ServerId) => void
    call?: () => ToolResult
    install?: (signal: AbortSignal, progress: InstallProgress) => Promise<void>
    add?: () => Promise<void>
    undo?: () => void
    namedSettings?: readonly string[]
  }
  advance(ms: number): Promise<void>
  rooms(crashAt?: CrashPoint): SetupDeps
  open(parts?: Partial<SetupDeps>, crashAt?: CrashPoint): OwnedSetup
}

interface CrashPoint {
  /** The number of the effect, from 0. */
  readonly step: number
  /** Whether the effect still takes place. */
  readonly isDone: boolean
  readonly onCrash: (effect: string) => void
}

export function createWorld(): World {
  const sleepers: Sleepers = new Set()
  const world: World = {
    notes: new Map(),
    secrets: new Map(),
    definitions: new Map(),
    running: new Map(),
    chat: new Map(),
    outbox: [],
    audit: [],
    steps: [],
    accepted: new Set(),
    tools: ['API-get-self', 'API-post-search'],
    blocked: [],
    vault: 'unlocked',
    now: Date.parse('2026-11-15T12:00:00Z'),
    odd: {},
    async advance(ms) {
      world.now += ms
      for (const sleeper of [...sleepers].filter(({ due }) => due <= world.now)) sleeper.wake()
      await settle()
    },
    rooms: (crashAt) => roomsOf(world, stepper(world, crashAt), sleepers),
    open: (parts = {}, crashAt) => createSetup({ ...world.rooms(crashAt), ...parts }),
  }
  return world
}

/** Lets all pending work finish, except work that waits for a person or a timer. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 60; round += 1) await new Promise(setImmediate)
}

export function messageIn(world: World, text: string, parts: Partial<Message> = {}): Message {
  const id = `m${world.steps.length}-${world.chat.size}-${text.length}`
  world.chat.set(id, text)
  const ref: MessageRef = { channel: 'test', chat: 'private', message: id }
  return { principal: OWNER, text, ref, ...parts }
}

export function textOf(reply: Reply | Meant | undefined): string | undefined {
  return reply?.kind === 'text' ? reply.text : undefined
}

type Step = <T>(name: string, effect: () => T | Promise<T>) => Promise<T>

/** Runs each effect, or ends the instance at the chosen one: after that no effect of it happens or returns. */
function stepper(world: World, crashAt: CrashPoint | undefined): Step {
  let count = 0
  let isDead = false
  return async (name, effect) => {
    const isHere = crashAt?.step === count
    count += 1
    if (isDead || (isHere && crashAt && !crashAt.isDone)) return await die(isHere, name)
    world.steps.push(name)
    if (!isHere) return await effect()
    await (async () => await effect())().catch(() => undefined)
    return await die(true, name)
  }
  async function die(isHere: boolean, name: string): Promise<never> {
    isDead = true
    if (isHere) crashAt?.onCrash(name)
    return await new Promise<never>(() => undefined)
  }
}

type Sleepers = Set<{ due: number; wake: () => void }>

function roomsOf(world: World, step: Step, sleepers: Sleepers): SetupDeps {
  const stored = storage(world, step)
  return {
    owner: OWNER,
    catalog: CATALOG,
    ...stored,
    accounts: createAccountNames(stored.notes),
    ...serving(world, step),
    audit: {
      append(event) {
        world.audit.push(event)
        return { seq: world.audit.length, hash: '' }
      },
    },
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    redactor: { redact: (text) => text },
    outlet: {
      say: (_principal, text) => step('say', () => void world.outbox.push(text)),
      remove: ({ message }) =>
        step('delete', () => {
          world.chat.delete(world.odd.remove?.() === false ? '' : message)
          return !world.chat.has(message)
        }),
    },
    homeFolder: '/home/ann',
    judgePath: () => undefined,
    now: () => world.now,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        const sleeper = { due: world.now + ms, wake: resolve }
        sleepers.add(sleeper)
        signal.addEventListener('abort', () => {
          sleepers.delete(sleeper)
          reject(new Error('aborted'))
        })
      }),
  }
}

function storage(world: World, step: Step): Pick<SetupDeps, 'notes' | 'vault' | 'definitions'> {
  const { notes, secrets, definitions } = world
  return {
    notes: {
      put: (kind, id, content) =>
        step(`note ${kind}`, () => void notes.set(`${kind}/${id}`, { kind, id, content })),
      list: async (kind) => [...notes.values()].filter((note) => note.kind === kind),
      remove: (kind, id) => step(`unnote ${kind}`, () => void notes.delete(`${kind}/${id}`)),
    },
    vault: {
      status: async () => ({ state: world.vault, secrets: secrets.size, warnings: [] }),
      isThere: async () => world.vault !== 'absent',
      has: async (_owner, name) => secrets.has(name),
      resolves: async (_owner, { scheme, name }) => scheme === 'env' || secrets.has(name),
      list: async () =>
        [...secrets].map(([name, { updatedAt }]) => ({
          name,
          createdAt: '',
          updatedAt: new Date(updatedAt).toISOString(),
          damaged: false,
        })),
      set: (_owner, name, bytes) =>
        step(`set ${name}`, () => {
          world.odd.set?.()
          const before = secrets.get(name)
          const value = Buffer.from(bytes).toString()
          secrets.set(name, { value, updatedAt: world.now, sets: (before?.sets ?? 0) + 1 })
          return { replaced: before !== undefined }
        }),
    },
    definitions: {
      migrate: () => Promise.reject(new Error('nothing is imported here')),
      load: async () => ({
        servers: [...definitions].map(([id, changes]) => loadedOf(id, changes)),
        problems: [],
      }),
      add: (server, changes) =>
        step(`add ${server}`, async () => {
          await world.odd.add?.()
          if (definitions.has(server)) throw refusal('servers.taken')
          definitions.set(server, changes)
          return loadedOf(server, changes)
        }),
      edit: (server, changes) =>
        step(`edit ${server}`, () => {
          const old = definitions.get(server)
          if (!old) throw refusal('servers.not-yours')
          const auth = { ...old.auth, ...changes.auth }
          const env = { ...old.env, ...changes.env }
          definitions.set(server, { ...old, ...changes, auth, env })
          return loadedOf(server, changes)
        }),
      remove: (server, { keepSecrets }) =>
        step(`remove ${server}`, () => {
          world.odd.undo?.()
          if (!keepSecrets) secrets.clear()
          definitions.delete(server)
          return { removedSecrets: [] }
        }),
    },
  }
}

function serving(world: World, step: Step): Pick<SetupDeps, 'servers' | 'packages' | 'callTool'> {
  const { definitions, running, secrets } = world
  const valuesOf = (server: ServerId): readonly string[] =>
    Object.values(definitions.get(server)?.auth ?? {}).map(
      (ref) => secrets.get(parseSecretRef(ref).name)?.value ?? '',
    )
  return {
    servers: {
      refresh: () =>
        step('refresh', () => {
          for (const server of running.keys()) if (!definitions.has(server)) running.delete(server)
        }),
      start: (server) =>
        step(`start ${server}`, () => {
          if (!definitions.has(server)) throw refusal('servers.unknown')
          world.odd.start?.(server)
          // A running server keeps the values it was started with.
          if (!running.has(server)) running.set(server, valuesOf(server))
          return stateOf(server)
        }),
      stop: (server) =>
        step(`stop ${server}`, () => {
          if (!definitions.has(server)) throw refusal('servers.unknown')
          running.delete(server)
          return stateOf(server)
        }),
      tools: async () => world.tools.map(toolOf),
      states: async () => [...definitions.keys()].map((id) => stateOf(id, world.blocked)),
    },
    packages: {
      install: (_slug, launch, progress, signal) =>
        step('install', async () => {
          progress('Downloading the package')
          await world.odd.install?.(signal, progress)
          return {
            folder: '/packages/x',
            entry: '/packages/x/index.js',
            package: launch.kind === 'npm' ? launch.package : 'cordon-http',
            version: '1.2.3',
            integrity: 'sha512-x',
            publisher: 'tester',
            publishedAt: '2026-11-01T00:00:00Z',
            bytes: 3 * 2 ** 20,
            packages: 12,
            refusedScripts: ['esbuild'],
            ...(world.odd.namedSettings && { namedSettings: world.odd.namedSettings }),
          } as const
        }),
    },
    callTool: ({ tool }) =>
      step(`call ${tool.name}`, () => {
        if (world.odd.call) return world.odd.call()
        const values = running.get(tool.server) ?? []
        return values.every((value) => world.accepted.has(value))
          ? { kind: 'ok', value: { object: 'user' }, label: LABEL }
          : { kind: 'ok', value: REFUSED, label: LABEL }
      }),
  }
}

const LABEL = { integrity: 'external', level: 'internal', origins: new Set<string>() } as const
const REFUSED = [
  {
    type: 'text',
    text: '{"status":401,"object":"error","code":"unauthorized","message":"API token is invalid."}',
  },
]

export const notion: ServerId = parseServerId('notion')
