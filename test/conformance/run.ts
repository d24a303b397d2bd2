/**
 * Runs the client scenarios of the official conformance suite, each at every dated revision it belongs to, and prints
 * scenario × revision × checks. Exits 1 if a scenario fails that `client-baseline.json` does not explain, if one passes
 * that it does explain, or if fewer than the bar pass.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { finish } from '../fixtures/cordon.ts'
import { actAsClient, type Scenario } from './act-as-client.ts'

const BAR = 52
const DATES = ['2025-03-26', '2025-11-25', '2026-07-28']
const AT_ONCE = 2
const TIMEOUT_MS = 120_000

interface Run {
  readonly scenario: string
  readonly date: string
}

interface Outcome extends Run {
  readonly passed: number
  readonly checks: number
  readonly isPassed: boolean
  readonly seconds: number
  /** Descriptions of the checks that failed, or the last words of the program. */
  readonly failures: readonly string[]
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const [, , suite = '', role, ...wanted] = process.argv
process.exitCode = role === 'client' ? await runClient() : usage()

function usage(): number {
  console.error('cordon: error: Cannot run that: say `npm run conformance -- client [SCENARIO…]`')
  return 2
}

async function runClient(): Promise<number> {
  const runs = (await listRuns()).filter(
    ({ scenario }) => wanted.length === 0 || wanted.includes(scenario),
  )
  await using client = await openClient()
  const outcomes: Outcome[] = []
  const queue = [...runs]
  const work = async (): Promise<void> => {
    for (let run = queue.shift(); run; run = queue.shift()) {
      const outcome = await runScenario(run, client.socketPath)
      outcomes.push(outcome)
      console.log(showOutcome(outcome))
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return judge(outcomes)
}

/** Cordon as the suite's client: each request on the socket is one scenario. */
async function openClient(): Promise<{ readonly socketPath: string } & AsyncDisposable> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-conformance-client-'))
  const socketPath = path.join(folder, 'client.sock')
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    const act = async (): Promise<readonly string[]> =>
      await actAsClient(JSON.parse(await text(socket)) as Scenario)
    void act().then(
      (said) => socket.end(JSON.stringify({ said })),
      (error: unknown) => socket.end(JSON.stringify({ said: [], failed: inspect(error) })),
    )
    socket.on('error', () => socket.destroy())
  })
  server.listen(socketPath)
  await once(server, 'listening')
  return {
    socketPath,
    async [Symbol.asyncDispose]() {
      server.close()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function listRuns(): Promise<readonly Run[]> {
  const { stdout } = await finish(spawn(process.execPath, [suite, 'list', '--client']))
  const lines = stdout.matchAll(/^ {2}- (\S+) \[([\d,-]+)\]$/gm)
  return [...lines].flatMap(([, scenario = '', dates = '']) =>
    DATES.filter((date) => dates.split(',').includes(date)).map((date) => ({ scenario, date })),
  )
}

async function runScenario({ scenario, date }: Run, socketPath: string): Promise<Outcome> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-conformance-run-'))
  const started = performance.now()
  try {
    const command = `${process.execPath} ${here('ask-runner.mjs')} ${socketPath}`
    const args = ['client', '--command', command, '--scenario', scenario, '--spec-version', date]
    const limits = ['--timeout', String(TIMEOUT_MS), '-o', folder]
    const child = spawn(process.execPath, [suite, ...args, ...limits])
    const { code, stdout, stderr } = await finish(child)
    const checks = readChecks(folder)
    const scored = checks.filter(({ status }) => status !== 'INFO' && status !== 'SKIPPED')
    const failed = scored.filter(({ status }) => status !== 'SUCCESS')
    const isPassed = code === 0 && scored.length > 0 && failed.length === 0
    return {
      scenario,
      date,
      passed: scored.length - failed.length,
      checks: scored.length,
      isPassed,
      seconds: (performance.now() - started) / 1000,
      failures: isPassed
        ? []
        : [
            ...failed.map(({ description }) => description),
            `ended with ${code}: ${(stdout + stderr).slice(-2000)}`,
          ],
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

interface Check {
  readonly status: string
  readonly description: string
}

function readChecks(folder: string): readonly Check[] {
  const [file] = globSync(path.join(folder, '**', 'checks.json'))
  return file === undefined ? [] : (JSON.parse(readFileSync(file, 'utf8')) as Check[])
}

function showOutcome({
  scenario,
  date,
  passed,
  checks,
  isPassed,
  seconds,
  failures,
}: Outcome): string {
  const mark = isPassed ? 'pass' : 'FAIL'
  const line = `${scenario.padEnd(46)} ${date}  ${mark}  ${`${passed}/${checks}`.padStart(7)}  ${seconds.toFixed(1).padStart(5)} s`
  return [line, ...failures.map((failure) => `    ${failure}`)].join('\n')
}

function judge(outcomes: readonly Outcome[]): number {
  const baseline = JSON.parse(readFileSync(here('client-baseline.json'), 'utf8')) as Readonly<
    Record<string, string>
  >
  const nameOf = ({ scenario, date }: Run): string => `${scenario}@${date}`
  const passed = outcomes.filter(({ isPassed }) => isPassed)
  const failed = outcomes.filter(({ isPassed }) => !isPassed)
  const problems = [
    ...failed.filter((one) => !(nameOf(one) in baseline)).map((one) => `${nameOf(one)} fails`),
    ...passed
      .filter((one) => nameOf(one) in baseline)
      .map((one) => `${nameOf(one)} passes: take it out of client-baseline.json`),
  ]
  const isWhole = wanted.length === 0
  if (isWhole && passed.length < BAR) problems.push(`fewer than ${BAR} pass`)
  for (const one of failed) {
    const why = baseline[nameOf(one)]
    if (why !== undefined) console.log(`explained: ${nameOf(one)}: ${why}`)
  }
  console.log(`${passed.length} of ${outcomes.length} dated runs pass`)
  for (const problem of problems) console.error(`cordon: error: ${problem}`)
  return problems.length === 0 && outcomes.length > 0 ? 0 : 1
}
