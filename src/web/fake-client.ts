/** The real listeners with fake rooms, and a client that sends any bytes, for tests. Never part of the program. */
import { mkdtemp, rm } from 'node:fs/promises'
// oxlint-disable-next-line no-restricted-imports -- a client for tests; the program never imports this file
import { connect, type NetConnectOpts } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { createFakeDeps, type FakeDeps } from './fake-deps.ts'
import { openWeb, type Web } from './open-web.ts'

type Answers = Parameters<typeof createFakeDeps>[0]

interface TestWeb extends FakeDeps {
  readonly web: Web
  readonly folder: string
  readonly socketPath: string
  readonly port: number
}

export async function openTestWeb(
  t: TestContext,
  answers: Answers = {},
  firstPort = 0,
): Promise<TestWeb> {
  const folder = await mkdtemp(join(tmpdir(), 'cordon-web-'))
  const socketPath = join(folder, 'run', 'cordon.sock')
  const deps = createFakeDeps({ ping: async () => ({ version: '1', pid: 2 }), ...answers })
  const web = await openWeb({ ...deps, socketPath, port: firstPort })
  await web.serve(deps.api)
  t.after(async () => {
    await web[Symbol.asyncDispose]()
    await rm(folder, { recursive: true })
  })
  return { ...deps, web, folder, socketPath, port: Number(new URL(web.page).port) }
}

/** Sends these bytes, and returns the whole answer once the other side hangs up. */
export async function send(to: NetConnectOpts, ...parts: readonly string[]): Promise<string> {
  const socket = connect(to)
  let answer = ''
  let failure: Error | undefined
  socket.on('data', (chunk: Buffer) => {
    answer += chunk.toString()
  })
  socket.on('error', (error) => {
    failure = error
  })
  for (const part of parts) socket.write(part)
  await new Promise((resolve) => socket.on('close', resolve))
  if (answer === '' && failure) throw failure
  return answer
}

export function request(line: string, headers: readonly string[], body = ''): string {
  const length = `Content-Length: ${Buffer.byteLength(body)}`
  return [`${line} HTTP/1.1`, ...headers, length, 'Connection: close', '', body].join('\r\n')
}

export function codeIn(answer: string): string {
  const status = /^HTTP\/1\.1 (\d+)/.exec(answer)?.[1]
  return `${status} ${/"code":"([^"]+)"/.exec(answer)?.[1] ?? '-'}`
}

export const JSON_BODY = 'Content-Type: application/json'
