/**
 * One process that works on runs, and kills itself at the step and moment in its orders. Its tools read and write in
 * turn; each effect is on disk before the tool answers. The process ends by itself once the run is over or asks.
 */
import { closeSync, openSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dieHere, say } from '../fixtures/doomed-child.ts'
import { never, openEngineHouse, startOf } from './engine-house.ts'
import { killTools, type Moment, type Orders } from './engine-kill.ts'

const orders = JSON.parse(process.argv[2] ?? '') as Orders
const { run, dieAt } = orders

/** Of several processes that reach the same point, only the first dies: creating the file `died` succeeds once. */
function isFirst(): boolean {
  try {
    closeSync(openSync(path.join(orders.folder, 'died'), 'wx'))
    return true
  } catch {
    return false
  }
}

function die(step: number, moment: Moment): void {
  if (dieAt?.step !== step || dieAt.moment !== moment) return
  if (moment === 'sleeps') {
    say('sleeps')
    // Long enough for the test to stop this process here with a signal.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000)
    return
  }
  if (isFirst()) dieHere()
}

const house = await openEngineHouse({
  ...orders,
  atDoor({ args }) {
    die(Number(args['step']), 'between')
    die(Number(args['step']), 'sleeps')
  },
  tools: killTools(orders.folder, die),
})
if (orders.ir !== undefined) await house.flows.start(startOf(run, orders.ir), never)
say('works')
const deadline = Date.now() + 90_000
while (Date.now() < deadline) {
  const told = await house.flows.show(run).catch(() => undefined)
  const isAsking = told?.state === 'asking' && told.question !== undefined
  if (told && (isAsking || told.state === 'completed' || told.state === 'failed')) {
    say(JSON.stringify({ state: told.state, question: told.question?.id }))
    break
  }
  await sleep(100)
}
await house[Symbol.asyncDispose]()
