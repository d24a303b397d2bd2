/** Asks the kernel that is already running, over its Unix socket. Knows the contract's types and nothing of its rules. */
import { request } from 'node:http'
import type { Input, Output, Route } from '../kernel/api.ts'
import { CordonError, type ErrorBody } from '../kernel/error.ts'
import type { OpenApi } from './surface.ts'

/** The API behind this socket, or undefined where nobody listens. */
export async function findSocketApi(socketPath: string): Promise<OpenApi | undefined> {
  const api = createSocketApi(socketPath)
  try {
    await post(socketPath, 'ping', {}, AbortSignal.timeout(10_000))
    return api
  } catch (error) {
    if (isNobodyThere(error)) return undefined
    throw error
  }
}

function createSocketApi(socketPath: string): OpenApi {
  return {
    async call<R extends Route>(route: R, input: Input<R>, signal?: AbortSignal) {
      try {
        return (await post(socketPath, route, input, signal)) as Output<R>
      } catch (error) {
        if (error instanceof CordonError) throw error
        throw new CordonError(
          'cli.kernel-gone',
          { exit: 5, hint: 'Run `cordon up`, then try again' },
          'Cannot reach the running kernel',
          error,
        )
      }
    },
    // Each request closes its own connection, so there is nothing to give back.
    [Symbol.asyncDispose]: () => Promise.resolve(),
  }
}

function post(
  socketPath: string,
  route: string,
  input: unknown,
  signal?: AbortSignal,
): Promise<unknown> {
  const body = JSON.stringify(input)
  const headers = {
    host: 'cordon',
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  }
  return new Promise((resolve, reject) => {
    const options = { socketPath, method: 'POST', path: `/api/${route}`, headers, agent: false }
    const asked = request(signal ? { ...options, signal } : options, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        try {
          resolve(readAnswer(response.statusCode, Buffer.concat(chunks)))
        } catch (error) {
          reject(error)
        }
      })
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

function readAnswer(status: number | undefined, bytes: Buffer): unknown {
  const answer = JSON.parse(bytes.toString()) as { error?: ErrorBody }
  if (status === 200) return answer
  if (answer.error) throw CordonError.fromBody(answer.error)
  throw new Error(`unexpected status ${status}`)
}

function isNobodyThere(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code
  return code === 'ENOENT' || code === 'ECONNREFUSED'
}
