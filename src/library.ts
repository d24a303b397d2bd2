/**
 * `import { openCordon } from 'cordon'`: tools and flows from TypeScript, with the owner's rights and through the one
 * door. Speaks to the kernel that runs; where none does, it is one itself, for as long as it is open.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import type { Api } from './kernel/api.ts'
import { CordonError } from './kernel/error.ts'
import type { FlowCheck, FlowRun, FlowSource } from './kernel/flow-port.ts'
import type { Json } from './kernel/json.ts'
import { pausePoll } from './kernel/long-poll.ts'
import { createSurface } from './surface.ts'

export interface CordonOptions {
  /** `$CORDON_HOME`, or `~/.cordon`, where it is absent. */
  readonly home?: string
}

export interface CallOptions {
  /**
   * What becomes of a call that needs the owner's yes: `never` refuses it at once (what happens without), `wait` waits
   * until it is given with `cordon approvals`, `given` says it beforehand.
   */
  readonly approval?: 'never' | 'wait' | 'given'
  readonly signal?: AbortSignal
}

export interface RunOptions extends CallOptions {
  /** Files are read and written within it; without one, not at all. */
  readonly folder?: string
  readonly useCache?: boolean
}

export interface FlowResult {
  /** For `cordon flow show`. */
  readonly id: string
  readonly outputs: Readonly<Record<string, Json>>
}

export interface Cordon extends AsyncDisposable {
  /** Calls `server.tool`. Throws a `CordonError` where it is refused or fails. */
  call<T extends Json = Json>(
    tool: string,
    args?: Readonly<Record<string, Json>>,
    options?: CallOptions,
  ): Promise<T>
  /** Runs a flow to its end: as text (`'a --k v >> b'`), as JSON, or a saved one (`{ kind: 'saved', name }`). */
  run(
    flow: string | FlowSource,
    inputs?: Readonly<Record<string, Json>>,
    options?: RunOptions,
  ): Promise<FlowResult>
  /** What can be known of a flow before it runs. */
  check(flow: string | FlowSource): Promise<FlowCheck>
  close(): Promise<void>
}

export type { FlowCheck, FlowSource, Json }
export { CordonError }

export async function openCordon(options: CordonOptions = {}): Promise<Cordon> {
  const home = options.home ?? (process.env['CORDON_HOME'] || path.join(homedir(), '.cordon'))
  const surface = createSurface({
    version: packageVersion(),
    homePath: path.resolve(home),
    port: '0', // nothing listens
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    environment: process.env,
    entry: '',
  })
  const api = (await surface.findKernel()) ?? (await surface.openKernel({ page: false }))
  const close = async (): Promise<void> => await api[Symbol.asyncDispose]()
  return {
    call: async <T extends Json>(
      tool: string,
      args: Readonly<Record<string, Json>> = {},
      call: CallOptions = {},
    ) => (await callOne(api, tool, args, call)) as T,
    run: (flow, inputs = {}, run = {}) => runOne(api, sourceOf(flow), inputs, run),
    check: (flow) => api.call('flows.check', { source: sourceOf(flow) }),
    close,
    [Symbol.asyncDispose]: close,
  }
}

function packageVersion(): string {
  const text = readFileSync(new URL('../package.json', import.meta.url), 'utf8')
  return (JSON.parse(text) as { version: string }).version
}

function sourceOf(flow: string | FlowSource): FlowSource {
  return typeof flow === 'string' ? { kind: 'text', text: flow } : flow
}

async function callOne(
  api: Api,
  name: string,
  args: Readonly<Record<string, Json>>,
  { approval = 'never', signal }: CallOptions,
): Promise<Json> {
  const [server = '', ...rest] = name.split('.')
  const input = { server, tool: rest.join('.'), args, approval }
  const result = await api.call('mcp.call', input, signal)
  if (result.kind === 'ok') return result.value
  const exit = result.kind === 'refused' ? 3 : 5
  const hint = `Run \`cordon tools show ${JSON.stringify(name)}\` to see what it may do`
  throw new CordonError(`main.${result.kind}`, { exit, hint }, result.reason)
}

async function runOne(
  api: Api,
  source: FlowSource,
  inputs: Readonly<Record<string, Json>>,
  { signal, ...options }: RunOptions,
): Promise<FlowResult> {
  const { id } = await api.call('flows.start', { ...options, source, inputs, id: randomUUID() })
  try {
    const run = await ended(api, id, signal)
    const { outputs } = await api.call('flows.show', { id })
    if (run.state === 'completed') return { id, outputs: outputs ?? {} }
    throw notCompleted(run)
  } catch (error) {
    if (signal?.aborted) await api.call('flows.cancel', { id })
    throw error
  }
}

async function ended(api: Api, id: string, signal: AbortSignal | undefined): Promise<FlowRun> {
  let after = 0
  for (;;) {
    const { run, events } = await api.call('flows.follow', { id, after }, signal)
    const isUnderWay = run.state === 'running' || run.state === 'asking'
    if (!isUnderWay || run.question) return run
    after = events.at(-1)?.number ?? after
    if (events.length === 0) await pausePoll(signal)
  }
}

function notCompleted({ id, state, problem, question }: FlowRun): CordonError {
  const hint = `Run \`cordon flow show ${id}\` to see how far it came`
  if (problem)
    return new CordonError(problem.code, { exit: 5, hint: problem.hint }, problem.message)
  if (question) {
    return new CordonError('main.run-asks', { exit: 5, hint }, `Cannot go on: ${question.text}`)
  }
  return new CordonError(
    'main.run-ended',
    { exit: 3, hint },
    `Cannot give a result: it is ${state}`,
  )
}
