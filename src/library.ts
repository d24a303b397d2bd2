/**
 * `import { openCordon } from 'cordon'`: tools and flows from TypeScript, with the owner's rights and through the one
 * door. Calls the running kernel, or starts one in the background as the command line does. Never holds a secret in the
 * caller's process, unless `dangerouslyInProcess` asks for it.
 */
import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { followFlow, isOver } from './api/client.ts'
import type { Api } from './api/contract.ts'
import { CordonError, exitOfCall } from './kernel/error.ts'
import type { FlowCheck, FlowRun, FlowSource } from './ports/flow-port.ts'
import type { Json } from './text/json.ts'
import { splitTool } from './kernel/tool-id.ts'
import { createKernelClient } from './house/create-surface.ts'

export interface CordonOptions {
  /** Default: `$CORDON_HOME`, or `~/.cordon`. */
  readonly home?: string
  /**
   * Opens the kernel in this process if none runs. Secrets are then in the memory of a process that can turn text into
   * code, unless Node was started with `--disallow-code-generation-from-strings`.
   */
  readonly dangerouslyInProcess?: boolean
}

export interface CallOptions {
  /**
   * For a call that needs the owner's consent: `never` refuses it at once (the default), `wait` waits for an answer
   * with `cordon approvals`, `given` gives the consent with the call.
   */
  readonly approval?: 'never' | 'wait' | 'given'
  readonly signal?: AbortSignal
}

export interface RunOptions extends CallOptions {
  /** The only folder in which files are read and written; absent: no files at all. */
  readonly folder?: string
  readonly useCache?: boolean
}

export interface FlowResult {
  /** The id of the run, for `cordon flow show`. */
  readonly id: string
  readonly outputs: Readonly<Record<string, Json>>
}

export interface Cordon extends AsyncDisposable {
  /** Calls `server.tool`. Throws a `CordonError` if the call is refused or fails. */
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
  /** Checks a flow without running it: its findings, its inputs, and the calls it would make. */
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

/** The program itself, beside this file: `main.ts` in the source, `main.js` in a build. */
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
  const tool = splitTool(name) ?? { server: name, tool: '' } // the kernel refuses it
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
