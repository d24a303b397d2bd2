/** Runs as the user in question, in a network of its own: every attempt behind both contenders, one report on stdout. */
import { spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { ATTEMPTS, type EscapeReport, type Outcome, type Outcomes } from './attempts.ts'
import { setCanaries } from './canaries.ts'
import { type Contender, cordon, naive } from './contenders.ts'
import { endAll, hostSideAttempts, processesWith, read, until } from './host-side.ts'

const leakedFile = process.argv[2] ?? ''
using canaries = await setCanaries(process.env['HOST_SECRET'] ?? '', leakedFile)
await using sandbox = await openSandbox({
  nodePath: process.execPath,
  cordonHome: `${canaries.home}/.cordon`,
  userHome: canaries.home,
  dangerouslyUnsandboxed: () => false,
  timings: { politeMs: 200, firmMs: 200 },
})

const mark = String(process.pid)
const report: EscapeReport = {
  ours: await attempt(cordon(sandbox, canaries), 'cordon', `${mark}1`),
  naive: await attempt(naive(canaries), 'naive', `${mark}2`),
}
process.stdout.write(JSON.stringify(report))

async function attempt(contender: Contender, name: string, mark: string): Promise<Outcomes> {
  const hostSide = hostSideAttempts(contender, canaries, mark)
  const outcomes: Record<number, Outcome> = { 16: await killedCordon(name, `60.${mark}16`) }
  for (const [number, run] of Object.entries(hostSide)) outcomes[Number(number)] = await run()
  const inside = Object.keys(ATTEMPTS)
    .map(Number)
    .filter((number) => !(number in outcomes))
  const aim = JSON.stringify({ ...canaries.aim, attempts: inside })
  const running = await contender.start('node', [canaries.script, aim])
  for (const line of (await read(running.stdout)).split('\n').filter(Boolean)) {
    const { number, ...outcome } = JSON.parse(line) as Outcome & { number: number }
    outcomes[number] = outcome
  }
  await running.stop()
  return outcomes
}

/** A Cordon of its own for this, with one server, killed without a warning. */
async function killedCordon(name: string, sleep: string): Promise<Outcome> {
  const program = fileURLToPath(new URL('killed.child.ts', import.meta.url))
  const child = spawn(process.execPath, [program, name, canaries.home, sleep], { stdio: 'ignore' })
  await until(() => processesWith(`sleep\0${sleep}`).length > 0, 10_000)
  child.kill('SIGKILL')
  const gone = await until(() => processesWith(`sleep\0${sleep}`).length === 0, 2_000)
  await endAll(`sleep\0${sleep}`)
  await delay(10)
  return gone ? { stopped: 'gone with Cordon' } : { got: 'a life after Cordon' }
}
