/** Asks the kernel that is already running, over its Unix socket. Knows the contract's types and nothing of its rules. */
import { connect } from 'node:net'
import type { Input, Output, Route } from '../kernel/api.ts'
import { CordonError, type ErrorBody } from '../kernel/error.ts'
import type { OpenApi } from './surface.ts'

/** The API behind this socket, or undefined where nobody listens. */
export async function findSocketApi(socketPath: string): Promise<OpenApi | undefined> {
  try {
    await post(socketPath, 'ping', {}, AbortSignal.timeout(10_000))
  } catch (error) {
    if (isNobodyThere(error)) return undefined
    throw unreachable(error)
  }
  return {
    async call<R extends Route>(route: R, input: Input<R>, signal?: AbortSignal) {
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

/** What the kernel answered is told as it is; only silence is an error of ours. */
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
