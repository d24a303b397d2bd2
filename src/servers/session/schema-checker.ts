/**
 * Validates a value against a JSON Schema. Plain schemas are checked at once; all others in a worker thread with a
 * deadline, which is started when first needed and ended when it is late. Schemas with patterns that may backtrack have
 * a thread of their own, so that only they wait for one another. If a check cannot finish, the value does not fit.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Json, JsonObject } from '../../text/json.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import type { SchemaAnswer, SchemaQuestion, SchemaWorkerData } from './schema-worker.ts'
import { checkSimple, isSimpleSchema } from './simple-schema.ts'

const MAX_SCHEMA = 256 * 1024
const START_MS = 10_000
const DEADLINE_MS = 250
/** Added for a large value, which takes time whatever the schema. */
const DEADLINE_MS_PER_MIB = 1000
/** All servers share the thread: no check waits longer than this for the schema of another server. */
const LONGEST_DEADLINE_MS = 2000
/** With this many schemas in its memory the thread is replaced. */
const MAX_TOLD = 1000

export interface SchemaChecker extends AsyncDisposable {
  /** Path and rule that the value violates; undefined if the value fits. A promise only if the thread is needed. */
  check(schema: JsonObject, value: Json): string | undefined | Promise<string | undefined>
}

type Verdict =
  | { readonly kind: 'simple' | 'full' | 'backtracking'; readonly key: number }
  | { readonly kind: 'refused' }

export function createSchemaChecker(): SchemaChecker {
  const verdicts = new WeakMap<JsonObject, Verdict>()
  const linear = createThread({ mayBacktrack: false })
  const backtracking = createThread({ mayBacktrack: true })
  let keys = 0
  const judge = (schema: JsonObject): Verdict => {
    keys += 1
    if (isSimpleSchema(schema)) return { kind: 'simple', key: keys }
    if (JSON.stringify(schema).length > MAX_SCHEMA) return { kind: 'refused' }
    return { kind: 'full', key: keys }
  }
  const askThread = async (key: number, schema: JsonObject, value: Json) => {
    const { problem, isBacktracking } = await linear.ask(key, schema, value)
    if (!isBacktracking) return problem
    verdicts.set(schema, { kind: 'backtracking', key })
    return (await backtracking.ask(key, schema, value)).problem
  }
  return {
    check(schema, value) {
      const verdict = verdicts.get(schema) ?? judge(schema)
      verdicts.set(schema, verdict)
      if (verdict.kind === 'simple') return checkSimple(schema, value)
      if (verdict.kind === 'refused') return 'the schema is too large'
      const { key, kind } = verdict
      if (kind === 'full') return askThread(key, schema, value)
      return backtracking.ask(key, schema, value).then(({ problem }) => problem)
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([linear.end(), backtracking.end()])
    },
  }
}

interface Thread {
  ask(key: number, schema: JsonObject, value: Json): Promise<SchemaAnswer>
  end(): Promise<void>
}

/** One question at a time, so that the deadline is each question's own. */
function createThread(workerData: SchemaWorkerData): Thread {
  let running: { readonly worker: Worker; readonly told: Set<number> } | undefined
  const serially = createSerialQueue()

  async function start(): Promise<NonNullable<typeof running>> {
    if (running) return running
    const worker = new Worker(workerFile(), {
      env: {},
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    worker.on('error', () => undefined) // the open question rejects in `ask`
    running = { worker, told: new Set() }
    await once(worker, 'message', { signal: AbortSignal.timeout(START_MS) })
    worker.unref() // an idle thread keeps no process alive; an open question does, below
    return running
  }
  async function end(): Promise<void> {
    const ending = running
    running = undefined
    await ending?.worker.terminate()
  }
  async function ask(key: number, schema: JsonObject, value: Json): Promise<SchemaAnswer> {
    try {
      if ((running?.told.size ?? 0) > MAX_TOLD) await end()
      const { worker, told } = await start()
      const question: SchemaQuestion = told.has(key) ? { key, value } : { key, schema, value }
      told.add(key)
      worker.ref()
      worker.postMessage(question, [])
      const signal = AbortSignal.timeout(deadlineFor(value))
      const [answer] = (await once(worker, 'message', { signal })) as [SchemaAnswer]
      worker.unref()
      return answer
    } catch {
      await end()
      return { problem: 'the schema takes too long to follow' }
    }
  }
  return { ask: (key, schema, value) => serially(() => ask(key, schema, value)), end }
}

function deadlineFor(value: Json): number {
  const size = JSON.stringify(value).length
  const fair = DEADLINE_MS + Math.ceil((DEADLINE_MS_PER_MIB * size) / 2 ** 20)
  return Math.min(fair, LONGEST_DEADLINE_MS)
}

/** Beside this file: as source while developing, bundled when installed. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./schema-worker.${extension}`, import.meta.url)
}
