/**
 * The client side: the only way to a kernel for command line and library. Finds the kernel behind the socket, starts
 * one in the background, or opens one in this process. Imports the contract's types and loads no schema, which would
 * take longer than the rest of a short command.
 */
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CordonError, type ErrorBody } from '../kernel/error.ts'
import { isDeeperThan } from '../text/bounded-json.ts'
import type { FlowEvent, FlowRun } from '../ports/flow-port.ts'
import type { Api, Input, Output, Route } from './contract.ts'
import { pausePoll } from './long-poll.ts'

export interface OpenApi extends Api, AsyncDisposable {}

export interface RunningKernel extends OpenApi {
  /** Settles when another process asks the kernel to stop. */
  readonly stopped: Promise<void>
}

export interface KernelClient {
  /** The kernel that is already running, or undefined. */
  findKernel(): Promise<OpenApi | undefined>
  /** A kernel in this process; it owns the home until it is disposed. */
  openKernel(options: { readonly page: boolean }): Promise<RunningKernel>
  /** A kernel in the background, ready to answer. */
  startKernel(): Promise<OpenApi>
}

/** How a kernel is made; the rooms are loaded only in the process that builds it. */
export interface KernelSource {
  readonly socketPath: string
  readonly open: KernelClient['openKernel']
  /** Returns when the process exists. */
  readonly start: () => Promise<StartedKernel>
}

export interface StartedKernel extends Disposable {
  readonly pid: number | undefined
  /** The kernel's output, once it has ended; undefined while it runs. A kernel that starts well prints nothing. */
  lastWords(): string | undefined
  /** Asks the kernel to end, if it is not needed after all. */
  stop(): void
}

/** The kernel reads no request that is nested deeper. */
const DEEPEST = 32
const START_DEADLINE_MS = 20_000
const PING_DEADLINE_MS = 10_000
/** A killed kernel's socket still accepts until its process is gone; a hang-up within this time is asked again. */
const HANG_UP_MS = 5000
/** A kernel that lost the home to another waits this long for that one to answer; then the other was dying. */
const RIVAL_MS = 1000
const POLL_MS = 30

export function createClient({ socketPath, open, start }: KernelSource): KernelClient {
  const findKernel = () => findSocketApi(socketPath)
  return {
    findKernel,
    openKernel: open,
    async startKernel() {
      const deadline = Date.now() + START_DEADLINE_MS
      while (Date.now() < deadline) {
        using started = await start()
        const api = await whenUp(started, findKernel, deadline)
        if (api) return api
      }
      throw new CordonError(
        'main.no-kernel',
        { exit: 5, hint: 'Run `cordon up` to see why' },
        'Cannot start Cordon in the background',
      )
    },
  }
}

/** The API behind this socket, or undefined if nothing listens there. */
export async function findSocketApi(socketPath: string): Promise<OpenApi | undefined> {
  try {
    await ping(socketPath)
  } catch (error) {
    if (isNobodyThere(error)) return undefined
    throw unreachable(error)
  }
  return {
    async call<R extends Route>(route: R, input: Input<R>, signal?: AbortSignal) {
      if (isDeeperThan(input, DEEPEST)) throw tooDeep()
      try {
        return (await post(socketPath, route, input, signal)) as Output<R>
      } catch (error) {
        signal?.throwIfAborted()
        throw unreachable(error)
      }
    },
    // Each request closes its own connection, so there is nothing to give back.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

async function ping(socketPath: string): Promise<void> {
  const deadline = Date.now() + HANG_UP_MS
  for (;;) {
    try {
      await post(socketPath, 'ping', {}, AbortSignal.timeout(PING_DEADLINE_MS))
      return
    } catch (error) {
      if (!isHangUp(error) || Date.now() > deadline) throw error
    }
    await pause(POLL_MS)
  }
}

/**
 * Waits until a kernel answers: ours, or another that won the race for the home. Resolves with undefined when ours lost
 * the home and nobody answers: the other kernel was ending, so a new one can be started.
 */
async function whenUp(
  started: StartedKernel,
  findKernel: KernelClient['findKernel'],
  deadline: number,
): Promise<OpenApi | undefined> {
  let lostAt: number | undefined
  while (Date.now() < deadline && Date.now() < (lostAt ?? deadline) + RIVAL_MS) {
    const api = await findKernel()
    if (api) return await withoutRival(api, started)
    const failure = parseFailure(started.lastWords())
    if (failure && failure.code !== 'home.locked') throw CordonError.fromBody(failure)
    if (failure) lostAt ??= Date.now()
    await pause(POLL_MS)
  }
  return undefined
}

/** Stops our kernel if another command was faster: it must not take the home after that other kernel has ended. */
async function withoutRival(api: OpenApi, ours: StartedKernel): Promise<OpenApi> {
  const { pid } = await api.call('ping', {})
  if (pid !== ours.pid) ours.stop()
  return api
}

/** The error that a background kernel prints before it ends. */
function parseFailure(words: string | undefined): ErrorBody | undefined {
  try {
    return (JSON.parse(words ?? '') as { error?: ErrorBody }).error
  } catch {
    return undefined
  }
}

/** Said here: a value that is far deeper cannot even be written as JSON. */
function tooDeep(): CordonError {
  return new CordonError(
    'cli.too-deep',
    { exit: 2, hint: 'Keep the value as text in a file, and let the flow begin with read-file' },
    `Cannot send a flow or a value that is nested deeper than ${DEEPEST} levels`,
  )
}

/** An error that the kernel answered with is passed on unchanged; only a missing answer is an error of the client. */
function unreachable(error: unknown): CordonError {
  if (error instanceof CordonError) return error
  const isTooLong = (error as NodeJS.ErrnoException).code === 'EINVAL'
  const hint = isTooLong
    ? 'Point CORDON_HOME at a folder with a shorter path: no socket can be made so deep'
    : 'Run `cordon doctor` to see who uses the home, or `cordon up` to start again'
  return new CordonError(
    'cli.kernel-gone',
    { exit: 5, hint },
    'Cannot reach the running kernel',
    error,
  )
}

/**
 * HTTP/1.0 by hand: one request, one answer, then the connection ends. Importing `node:http` would take longer
 * than everything else a short command does.
 */
function post(
  socketPath: string,
  route: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const body = Buffer.from(JSON.stringify(input))
  const head = [
    `POST /api/${route} HTTP/1.0`,
    'Host: cordon',
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ]
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect({ path: socketPath, ...(signal && { signal }) })
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => chunks.push(chunk))
    socket.on('end', () => {
      if (chunks.length === 0) return reject(new HangUp())
      try {
        resolve(readAnswer(Buffer.concat(chunks)))
      } catch (error) {
        reject(error)
      }
    })
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    socket.write(body)
  })
}

function readAnswer(bytes: Buffer): unknown {
  const headEnd = bytes.indexOf('\r\n\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(bytes.toString('latin1', 0, headEnd))?.[1]
  const answer = JSON.parse(bytes.toString('utf8', headEnd + 4)) as { error?: ErrorBody }
  if (status === '200') return answer
  if (answer.error) throw CordonError.fromBody(answer.error)
  throw new Error(`unexpected status ${status}`)
}

function isNobodyThere(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ENOTDIR' || code === 'ECONNREFUSED'
}

class HangUp extends Error {
  override name = 'HangUp'
}

function isHangUp(error: unknown): boolean {
  const { code } = error as NodeJS.ErrnoException
  return error instanceof HangUp || code === 'ECONNRESET' || code === 'EPIPE'
}

export interface RunNews {
  readonly run: FlowRun
  readonly events: readonly FlowEvent[]
}

/**
 * Follows a run and passes each batch of events to `hear`, until `hear` returns true. Resolves with the run of then.
 */
export async function followFlow(
  api: Api<'flows.follow'>,
  id: string,
  hear: (news: RunNews) => boolean | Promise<boolean>,
  signal?: AbortSignal,
): Promise<FlowRun> {
  for (let after = 0; ; ) {
    const news = await api.call('flows.follow', { id, after }, signal)
    if (await hear(news)) return news.run
    after = news.events.at(-1)?.number ?? after
    if (news.events.length === 0) await pausePoll(signal)
  }
}

/** Ended, or waiting for an answer other than an approval. */
export function isOver({ state, question }: FlowRun): boolean {
  return (state !== 'running' && state !== 'asking') || question !== undefined
}
