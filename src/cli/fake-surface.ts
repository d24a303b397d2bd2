/** A command line over a fake kernel, for tests. Never part of the program. */
import { PassThrough } from 'node:stream'
import type { OpenApi } from '../api/client.ts'
import type { Route } from '../api/contract.ts'
import { createFakeApi, type FakeAnswers } from '../api/fake-api.ts'
import type { Surface, Terminal } from './context.ts'
import { runCli } from './run-cli.ts'

export type Answers = FakeAnswers

interface Ran {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
  readonly calls: readonly (readonly [Route, unknown])[]
}

interface Person {
  /** The keys typed at the terminal once a question is shown, or the piped input. */
  readonly typed?: string | Uint8Array
  readonly isTTY?: boolean
  readonly signal?: AbortSignal
  /** Standard input that sends nothing more and never ends. */
  readonly isEndless?: boolean
  /** Matches a question on the screen. */
  readonly question?: RegExp
}

/** A server that asks nothing during a call. */
const UNASKED: Answers = { 'mcp.question': async () => ({ question: null }) }

export async function runFake(
  args: readonly string[],
  answers: Answers,
  {
    typed = '',
    isTTY = false,
    isEndless = false,
    signal = new AbortController().signal,
    question = /\?/,
  }: Person = {},
): Promise<Ran> {
  const stdin = Object.assign(new PassThrough(), { isTTY, setRawMode: () => stdin })
  const [stdout, stderr] = [new PassThrough(), Object.assign(new PassThrough(), { isTTY })]
  const said = { stdout: '', stderr: '' }
  stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString()))
  stderr.on('data', (chunk: Buffer) => {
    said.stderr += chunk.toString()
    if (isTTY && question.test(said.stderr)) setImmediate(() => stdin.write(typed))
  })
  if (!isTTY && !isEndless) stdin.end(typed)
  const calls: [Route, unknown][] = []
  const api: OpenApi = {
    ...createFakeApi({ ...UNASKED, ...answers }, ({ route, input }) => calls.push([route, input])),
    [Symbol.asyncDispose]: async () => undefined,
  }
  const surface = {
    version: '1',
    terminal: { stdin, stdout, stderr, isDumb: false, typeLine: typeLineOf(stderr, typed) },
    workingFolder: '/',
    homeFolder: '/home/ann',
    findKernel: async () => api,
    isBuiltInNode: async (name: string) => name === 'llm',
    findShellMistake: async () => undefined,
    openPage: async (url: string) => {
      said.stderr += `[browser ${url}]\n`
      return true
    },
    edit: ({ text, use }: Parameters<Surface['edit']>[0]) =>
      use(text.replace('TODO', 'FIXME'), '/tmp/edited.flow'),
  } as unknown as Surface
  const code = await runCli(args, surface, signal)
  return { code, ...said, calls }
}

/** Answers the prompt with a line, or leaves on Ctrl-C. */
function typeLineOf(stderr: PassThrough, typed: string | Uint8Array): Terminal['typeLine'] {
  return async ({ prompt }) => {
    stderr.write(prompt)
    const line = String(typed).replace(/\r$/, '')
    return line === '\u0003' ? undefined : line
  }
}
