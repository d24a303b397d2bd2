/**
 * The costs of the policy: one decision about 20 arguments with 1,000 labelled leaves, fresh each time; the search for
 * secrets in the same arguments; and a call through the whole door (the bars of `call`).
 */
import { Labelled } from '../src/labels/labelled.ts'
import type { Label } from '../src/labels/label.ts'
import type { LabelTree } from '../src/labels/label-tree.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { factsOf } from '../src/kernel/test-facts.ts'
import type { CallRequest } from '../src/kernel/tool-call.ts'
import { createPolicy } from '../src/policy/create-policy.ts'
import { createRedactor } from '../src/vault/redactor.ts'
import { run as measureCalls } from './call.bench.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 3_000
const WARM_UP = 500
const ARGUMENTS = 20
const LEAVES_EACH = 50

export async function run(): Promise<BenchReport> {
  const { decide, open } = measureDecisions()
  const calls = await measureCalls()
  return {
    figures: [
      {
        name: 'opening the same arguments, searched for secrets, p50',
        value: quantile(open, 0.5),
        unit: 'µs',
      },
      { name: 'decide p99', value: quantile(decide, 0.99), unit: 'µs' },
      ...calls.figures,
    ],
    bars: [
      {
        name: 'decide, 20 arguments, 1,000 leaves, p50',
        value: quantile(decide, 0.5),
        unit: 'µs',
        kind: 'most',
        limit: 50,
      },
      ...calls.bars,
    ],
  }
}

const tool = { server: parseServerId('drive'), name: 'update' }
const facts = factsOf({ id: tool, serverName: 'Drive' })
const theirs: Label = { integrity: 'external', level: 'internal', origins: new Set(['drive']) }
const ids: Label = { ...theirs, integrity: 'system' }
const tree: LabelTree = {
  label: theirs,
  each: { label: theirs, members: new Map([['id', { label: ids }]]) },
}

/** Every leaf is trusted, so that the decision has to look at every leaf. */
function request(round: number): CallRequest {
  const args: Record<string, Labelled> = {}
  for (let at = 0; at < ARGUMENTS; at += 1) {
    const items = Array.from({ length: LEAVES_EACH }, (_, item) => ({
      id: `item-${round}-${item}`,
    }))
    args[`argument${at}`] = new Labelled(items, tree)
  }
  const task = { id: 't', step: '1', plan: 'user', callsBefore: 0 } as const
  const control = { integrity: 'user', bits: 0 } as const
  return { callId: 'c', principal: OWNER, tool, args, task: { ...task, control } }
}

function measureDecisions(): {
  readonly decide: readonly number[]
  readonly open: readonly number[]
} {
  const redactor = createRedactor()
  redactor.learn(Buffer.from('ghp_0123456789abcdef'))
  const nothing = { grantsFor: () => [], isEndorsed: () => false, alarm: () => undefined }
  const policy = createPolicy({ secrets: redactor, ...nothing })
  const decide: number[] = []
  const open: number[] = []
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const call = request(round)
    const began = performance.now()
    const verdict = policy.decide(call, facts)
    const decided = performance.now()
    policy.open(call, verdict)
    const opened = performance.now()
    if (verdict.rule !== 'write.own') throw new Error(`It was decided by ${verdict.rule}`)
    if (round < 0) continue
    decide.push((decided - began) * 1000)
    open.push((opened - decided) * 1000)
  }
  return { decide, open }
}
