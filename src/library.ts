/**
 * `import { openCordon } from 'cordon'`: tools and flows from TypeScript, with the owner's rights and through the one
 * door. Speaks to the kernel that runs; where none does, starts one in the background, as the command line does. It never
 * holds a secret in the caller's process, unless that is asked for by name.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { followFlow, isOver } from './api/client.ts'
import type { Api } from './api/contract.ts'
import { CordonError, exitOfCall } from './kernel/error.ts'
import type { FlowCheck, FlowRun, FlowSource } from './kernel/flow-port.ts'
import type { Json } from './text/json.ts'
import { splitTool } from './kernel/tool-id.ts'
import { createKernelClient } from './house/create-surface.ts'

export interface CordonOptions {
  /** `$CORDON_HOME`, or `~/.cordon`, where it is absent. */
  readonly home?: string
  /**
   * Be the kernel in this process where none runs, for as long as it is open. Secrets are then in the memory of a process
   * that can turn text into code, unless Node was started with `--disallow-code-generation-from-strings`.
   */
  readonly dangerouslyInProcess?: boolean
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
  const homePath = path.resolve(home)
  const client = createKernelClient({
    version: packageVersion(),
    homePath,
    port: '0', // in this process nothing listens
    databaseUrl: process.env['DATABASE_URL'] || undefined,
    environment: { ...process.env, CORDON_HOME: homePath },
    entry: programFile(),
  })
  const makeKernel = () =>
    options.dangerouslyInProcess ? client.openKernel({ page: false }) : client.startKernel()
  const api = (await client.findKernel()) ?? (await makeKernel())
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

/** The program itself, beside this file: `main.ts` in the source, `main.js` where it is built. */
function programFile(): string {
  return path.join(import.meta.dirname, `main${path.extname(import.meta.filename)}`)
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
  const tool = splitTool(name) ?? { server: name, tool: '' } // which is refused
  const result = await api.call('mcp.call', { ...tool, args, approval }, signal)
  if (result.kind === 'ok') return result.value
  const look = `Run \`cordon tools show ${JSON.stringify(name)}\` to see what it may do`
  if (result.kind === 'refused') {
    throw new CordonError(
      'main.refused',
      { exit: exitOfCall('refused'), hint: look },
      result.reason,
    )
  }
  const hint = result.hint ?? look
  throw new CordonError('main.failed', { exit: exitOfCall('failed'), hint }, result.reason)
}

async function runOne(
  api: Api,
  source: FlowSource,
  inputs: Readonly<Record<string, Json>>,
  { signal, ...options }: RunOptions,
): Promise<FlowResult> {
  const { id } = await api.call('flows.start', { ...options, source, inputs, id: randomUUID() })
  try {
    const run = await followFlow(api, id, (news) => isOver(news.run), signal)
    const { outputs } = await api.call('flows.show', { id })
    if (run.state === 'completed') return { id, outputs: outputs ?? {} }
    throw notCompleted(run)
  } catch (error) {
    if (signal?.aborted) await api.call('flows.cancel', { id })
    throw error
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
