/** The `Features` port over all servers: lists, subscriptions, log levels, events. Reads no resource and no prompt. */
import type { FeatureEvent, Features, ListKind, Listing } from '../../ports/feature-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { JsonObject } from '../../text/json.ts'
import { OutOfBounds } from '../session/json-bounds.ts'
import { GET_PROMPT, READ_RESOURCE } from '../../text/feature-names.ts'
import { nameTokens } from '../../text/name-tokens.ts'
import { plainItem } from '../tools/plain-item.ts'
import type { ServerLife } from './server-life.ts'

/** A list of all servers is not kept waiting by one of them. */
const PATIENCE_MS = 5000

interface Fleet {
  own(): readonly ServerLife[]
}

export class FeatureWatch {
  readonly #listeners = new Set<(event: FeatureEvent) => void>()

  readonly tell = (event: FeatureEvent): void => {
    for (const listener of this.#listeners) listener(event)
  }

  watch(listener: (event: FeatureEvent) => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}

export function createFeatures(
  fleet: Fleet,
  find: (server: ServerId) => ServerLife,
  watch: FeatureWatch,
): Features {
  return {
    declared: async (server) => await find(server).tools.declared(),
    list: async (server, kind, signal) => await listOne(find(server), kind, signal),
    async listings(kind, signal) {
      const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
      const all = await Promise.all(fleet.own().map((server) => listing(server, kind, patience)))
      return all.flatMap((one) => one ?? [])
    },
    async tools(server) {
      const { tools } = find(server)
      const taken = new Set((await tools.all()).map(({ name }) => wordsIn(name)))
      const { resources, prompts } = await tools.declared()
      const names = [...(resources ? [READ_RESOURCE] : []), ...(prompts ? [GET_PROMPT] : [])]
      // A tool of the server keeps its name in flows: what a person wrote there means that tool.
      const free = names.filter((name) => !taken.has(wordsIn(name)))
      return free.flatMap((name) => tools.find(name) ?? [])
    },
    instructions: async (server) => await find(server).tools.instructions(),
    async unsubscribe(server, uri) {
      const { features, session } = find(server)
      await features.unsubscribe(session, uri)
    },
    async setLogLevel(server, level, signal) {
      const found = find(server)
      await found.features.setLogLevel(await found.ready(signal), level)
    },
    wantLogs(server, level) {
      const { features, session } = find(server)
      features.wantLogs(session, level)
    },
    watch: (listener) => watch.watch(listener),
  }
}

function wordsIn(name: string): string {
  return nameTokens(name).join(' ')
}

async function listOne(
  server: ServerLife,
  kind: ListKind,
  signal: AbortSignal,
): Promise<readonly JsonObject[]> {
  try {
    return await server.features.list(await server.ready(signal), kind)
  } catch (error) {
    if (error instanceof CordonError || signal.aborted) throw error
    throw notListed(server, kind, error)
  }
}

/**
 * Undefined for a server without the feature, and for one that is switched off or held back. A server that does not answer
 * is listed as it was last read: its names stay its own, and no other server comes by them meanwhile.
 */
async function listing(
  server: ServerLife,
  kind: ListKind,
  signal: AbortSignal,
): Promise<Listing | undefined> {
  const { definition, tools, label, features, id } = server
  const declared = await tools.declared()
  const isOffered = kind === 'prompts' ? declared.prompts : declared.resources
  if (!definition.enabled || !isOffered || (await tools.areAllQuarantined())) return undefined
  const known = server.session ? undefined : features.known(kind)
  const items = await Promise.race([known ?? listOne(server, kind, signal), aborted(signal)]).catch(
    () => features.lastRead(kind),
  )
  return items && { server: id, label, items: items.flatMap((item) => plainItem(item)) }
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error)
    signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
  })
}

function notListed({ id }: ServerLife, kind: ListKind, cause: unknown): CordonError {
  const why = cause instanceof OutOfBounds ? `its answer ${cause.message}` : 'it does not answer'
  return new CordonError(
    'servers.list',
    { exit: 5, hint: `Run \`cordon mcp logs ${id}\` to see what it wrote`, why },
    `Cannot list the ${kind} of server ${JSON.stringify(id)}`,
    cause,
  )
}
