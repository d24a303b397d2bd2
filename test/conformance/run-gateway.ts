/**
 * Runs the server scenarios that a revision of MCP requires against the gateway in front of a server written for them.
 * Exits 1 if a scenario fails that `gateway-baseline.json` does not explain, or if one passes that it does explain.
 */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Output } from '../../src/api/contract.ts'
import { finish, openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { openPlainNames } from './plain-names.ts'

const REVISIONS = { '2025-11-25': 'legacy', '2026-07-28': 'modern' } as const
const TIMEOUT_MS = 120_000
const CLIENT = 'suite'
const SERVER = 'conf'

/**
 * These scenarios end while a question of the server is open. It stays open for five minutes, and a question of another
 * call waits for it, since Cordon does not know which of two calls asks. So each has a gateway of its own.
 */
const LEAVES_QUESTIONS = /^(?:server-stateless|input-required)/

type Revision = keyof typeof REVISIONS

interface Outcome {
  readonly name: string
  readonly isPassed: boolean
  readonly said: string
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const [, , suite = '', , ...wanted] = process.argv
const outcomes: Outcome[] = []
for (const revision of Object.keys(REVISIONS) as Revision[]) outcomes.push(...(await run(revision)))
process.exitCode = judge(outcomes)

async function run(revision: Revision): Promise<readonly Outcome[]> {
  const scenarios = (await required(revision)).filter(
    (name) => wanted.length === 0 || wanted.includes(name),
  )
  const done: Outcome[] = []
  await using shared = await openGateway(revision)
  for (const scenario of scenarios) {
    await using own = LEAVES_QUESTIONS.test(scenario) ? await openGateway(revision) : undefined
    const outcome = await runScenario((own ?? shared).url, scenario, revision)
    console.log(`${outcome.name.padEnd(58)} ${outcome.isPassed ? 'pass' : 'FAIL'}`)
    done.push(outcome)
  }
  return done
}

/** The server scenarios of a revision, which is frozen. */
async function required(revision: Revision): Promise<readonly string[]> {
  const args = [suite, 'list', '--server', '--requirements', revision]
  const { stdout } = await finish(spawn(process.execPath, args))
  const [section = ''] = stdout.split('Client scenarios').slice(0, 1)
  return [...section.matchAll(/^ {2}- (\S+)$/gm)].map(([, name = '']) => name)
}

async function openGateway(
  revision: Revision,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const cordon = openCordon()
  const script = [process.execPath, here('everything-server.mjs'), REVISIONS[revision]]
  await cordon.ask(['up', '--detach'])
  await cordon.ask(['mcp', 'add', SERVER, '--', ...script])
  await cordon.ask(['client', 'add', CLIENT])
  await until(async () => {
    const { servers } = await cordon.ask<Output<'mcp.list'>>(['mcp', 'list'])
    return servers.every(({ state }) => state.badge === 'connected')
  })
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const token = readFileSync(path.join(cordon.home, 'clients', `${CLIENT}.key`), 'utf8').trim()
  const plain = await openPlainNames({ url, token, prefix: `${SERVER}__` })
  return {
    url: plain.url,
    async [Symbol.asyncDispose]() {
      await plain[Symbol.asyncDispose]()
      await cordon[Symbol.asyncDispose]()
    },
  }
}

async function runScenario(url: string, scenario: string, revision: Revision): Promise<Outcome> {
  const args = ['server', '--url', url, '--scenario', scenario, '--spec-version', revision]
  const child = spawn(process.execPath, [suite, ...args, '--timeout', String(TIMEOUT_MS)])
  const { code, stdout, stderr } = await finish(child)
  return { name: `${scenario}@${revision}`, isPassed: code === 0, said: stdout + stderr }
}

function judge(all: readonly Outcome[]): number {
  const baseline = JSON.parse(readFileSync(here('gateway-baseline.json'), 'utf8')) as Readonly<
    Record<string, string>
  >
  const problems = all.flatMap((outcome) => problemOf(outcome, baseline[outcome.name]))
  const passed = all.filter(({ isPassed }) => isPassed).length
  console.log(`${passed} of ${all.length} required server scenarios pass`)
  for (const problem of problems) console.error(`cordon: error: ${problem}`)
  return problems.length === 0 && all.length > 0 ? 0 : 1
}

/** At most one; a failure that is explained is none. */
function problemOf({ name, isPassed, said }: Outcome, why: string | undefined): readonly string[] {
  if (isPassed) {
    return why === undefined ? [] : [`${name} passes: take it out of gateway-baseline.json`]
  }
  if (why !== undefined) {
    console.log(`explained: ${name}: ${why}`)
    return []
  }
  console.log(`\n${name}\n${said.slice(-1500)}`)
  return [`${name} fails`]
}
