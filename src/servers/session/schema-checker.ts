/**
 * Validates a value against a JSON Schema. Plain schemas are checked at once; all others in a worker thread with a
 * limit of processor time, which is started when first needed and ended when it has used it up. Schemas with patterns that may backtrack have
 * a thread of their own, so that only they wait for one another. If a check cannot finish, the value does not fit.
 */
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { Json, JsonObject } from '../../text/json.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { answerWithin } from './answer-within.ts'
import type { SchemaAnswer, SchemaQuestion, SchemaWorkerData } from './schema-worker.ts'
import { checkSimple, isSimpleSchema } from './simple-schema.ts'

const MAX_SCHEMA = 256 * 1024
const START_MS = 10_000
/** Processor time: with time on the clock, honest calls failed whenever the machine was busy. */
const CHECK_MS = 250
/** Added for a large value, which takes time whatever the schema. */
const CHECK_MS_PER_MIB = 1000
/** All servers share the thread: no check waits longer than this for the schema of another server. */
const LONGEST_CHECK_MS = 2000
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

interface Running {
  readonly worker: Worker
  readonly told: Set<number>
  /** Processor time that the thread had used when it was ready, or answered last. */
  cpuMs: number
}

interface Thread {
  ask(key: number, schema: JsonObject, value: Json): Promise<SchemaAnswer>
  end(): Promise<void>
}

/** One question at a time, so that the processor time is each question's own. */
function createThread(workerData: SchemaWorkerData): Thread {
  let running: Running | undefined
  const serially = createSerialQueue()

  async function start(): Promise<Running> {
    if (running) return running
    const worker = new Worker(workerFile(), {
      env: {},
      workerData,
      resourceLimits: { maxOldGenerationSizeMb: 128 },
    })
    worker.on('error', () => undefined) // the open question rejects in `ask`
    const started: Running = { worker, told: new Set(), cpuMs: 0 }
    running = started
    const ready = await once(worker, 'message', { signal: AbortSignal.timeout(START_MS) })
    started.cpuMs = (ready as [number])[0]
    worker.unref() // an idle thread keeps no process alive; an open question does, below
    return started
  }
  async function end(): Promise<void> {
    const ending = running
    running = undefined
    await ending?.worker.terminate()
  }
  async function ask(key: number, schema: JsonObject, value: Json): Promise<SchemaAnswer> {
    try {
      if ((running?.told.size ?? 0) > MAX_TOLD) await end()
      const thread = await start()
      const { worker, told } = thread
      const question: SchemaQuestion = told.has(key) ? { key, value } : { key, schema, value }
      told.add(key)
      worker.ref()
      worker.postMessage(question, [])
      const time = { before: thread.cpuMs, most: timeFor(value) }
      const answer = await answerWithin<SchemaAnswer>(worker, time)
      thread.cpuMs = answer.cpuMs
      worker.unref()
      return answer
    } catch {
      await end()
      return { problem: 'the schema takes too long to follow', cpuMs: 0 }
    }
  }
  return { ask: (key, schema, value) => serially(() => ask(key, schema, value)), end }
}

function timeFor(value: Json): number {
  const size = JSON.stringify(value).length
  const fair = CHECK_MS + Math.ceil((CHECK_MS_PER_MIB * size) / 2 ** 20)
  return Math.min(fair, LONGEST_CHECK_MS)
}

/** Beside this file: as source while developing, bundled when installed. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./schema-worker.${extension}`, import.meta.url)
}
