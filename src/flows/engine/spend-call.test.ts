import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CallStep } from './call-step.ts'
import type { RunContext } from './run-context.ts'
import { RunParked, StepFailed } from './run-ends.ts'
import { spendCall } from './spend-call.ts'

const NOW = 1_000_000

function contextWith(waits: (number | undefined)[], template: string | undefined = 'client:a') {
  const asked: string[] = []
  const context = {
    progress: { calls: 0 },
    deps: {
      settings: { maxCalls: 2 },
      waitNow: () => NOW,
      budgetWait(name: string) {
        asked.push(name)
        return waits.shift()
      },
    },
    plan: { options: { template } },
    run: { signal: new AbortController().signal },
  } as unknown as RunContext
  return { context, asked }
}

const stepOf = (server: string): CallStep =>
  ({
    place: { node: 'read' },
    turn: { planned: { tool: { server, name: 'read' } } },
  }) as unknown as CallStep

test('a run of a program waits for its budget: a short time in place, a long one parked', async () => {
  const short = contextWith([5, undefined])
  await spendCall(short.context, stepOf('notes'))
  assert.deepEqual(short.asked, ['client:a', 'client:a'])
  await assert.rejects(
    spendCall(contextWith([30_000]).context, stepOf('notes')),
    (error: unknown) => error instanceof RunParked && error.until?.getTime() === NOW + 30_000,
  )
})

test('the budget of a program is not asked for built-in tools, nor for runs of the owner', async () => {
  const builtIn = contextWith([30_000])
  await spendCall(builtIn.context, stepOf('~model'))
  const own = contextWith([30_000])
  const plan = { ...own.context.plan, options: {} } as unknown as RunContext['plan']
  await spendCall({ ...own.context, plan }, stepOf('notes'))
  assert.deepEqual([builtIn.asked, own.asked], [[], []])
})

test('a run makes as many calls as the settings allow', async () => {
  const { context } = contextWith([])
  for (let call = 0; call < 2; call += 1) await spendCall(context, stepOf('notes'))
  await assert.rejects(
    spendCall(context, stepOf('notes')),
    (error: unknown) =>
      error instanceof StepFailed && error.problem.code === 'flows.too-many-calls',
  )
})
