import assert from 'node:assert/strict'
import { test } from 'node:test'
import { askFirst, callTool } from './call-tool.ts'
import { Capability } from './capability.ts'
import type { Label } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { ownCall } from './own-call.ts'
import { OWNER } from './principal.ts'
import { parseServerId } from './server-id.ts'
import { factsOf } from './test-facts.ts'
import { never as signal } from './test-never.ts'
import type { Template, ToolResult, Verdict } from './tool-call.ts'
import type { ToolFacts } from './tool-facts.ts'

const tool = { server: parseServerId('notion'), name: 'search' }
const call = ownCall(OWNER, tool, { query: 'x' }, 'c1')
const facts = factsOf({ id: tool, serverName: 'Notion', hash: 'h1', serverPin: 'p1' })
const TEMPLATE: Template = {
  name: 'client claude',
  allowed: ['*'],
  denied: [],
  maxCalls: 10,
  ceiling: 'internal',
  sinks: [],
  asksForWrites: false,
}
const found: ToolResult = {
  kind: 'ok',
  value: 'page',
  label: { integrity: 'external', level: 'internal', origins: new Set(['notion']) },
}

interface Wishes {
  readonly approve?: boolean
  readonly crash?: boolean
  readonly changes?: boolean
  readonly misfit?: string
}

function house(verdict: Verdict, options: Wishes = {}) {
  const steps: string[] = []
  let asked = 0
  const deps: Parameters<typeof callTool>[0] = {
    policy: { decide: () => verdict, open: () => ({ verdict, args: { query: 'x' } }) },
    audit: {
      begin: async () => {
        steps.push('begin')
        let open = true
        return {
          end: async (result: ToolResult) => {
            open = false
            steps.push(`end ${result.kind}`)
            return result
          },
          [Symbol.dispose]: () => {
            if (open) steps.push('closed as failed')
          },
        }
      },
    },
    approvals: {
      ask: async () => {
        steps.push('ask')
        return options.approve
          ? { kind: 'approved', approval: 'a', by: OWNER.id }
          : { kind: 'refused', rule: 'approval.denied', reason: 'The owner said no' }
      },
      askTogether: async (asked: readonly object[]) => {
        steps.push(`ask about ${asked.length}`)
      },
      useGrant: async () => {
        steps.push('use')
        return options.approve ?? false
      },
    },
    servers: {
      know: () => {
        asked += 1
        return asked > 1 && options.changes ? { ...facts, hash: 'h2' } : facts
      },
      misfit: async () => options.misfit,
      call: async (capability: Capability) => {
        assert.deepEqual(Capability.redeem(capability, Date.now()).args, { query: 'x' })
        steps.push('call')
        if (options.crash) throw new Error('broken pipe')
        return found
      },
    },
  }
  return { deps, steps }
}

test('callTool() writes the record before it calls, and closes it after', async () => {
  const { deps, steps } = house({ kind: 'allow', rule: 'read' })
  assert.equal((await callTool(deps, call, signal)).kind, 'ok')
  assert.deepEqual(steps, ['begin', 'call', 'end ok'])
})

test('callTool() never reaches a server when the verdict is deny', async () => {
  const { deps, steps } = house({ kind: 'deny', rule: 'pin', reason: 'changed' })
  assert.deepEqual(await callTool(deps, call, signal), {
    kind: 'refused',
    rule: 'pin',
    reason: 'changed',
  })
  assert.deepEqual(steps, ['begin', 'end refused'])
})

test('callTool() asks after the record is written, and takes no for an answer', async () => {
  const ask = { kind: 'ask', rule: 'write', reason: 'it writes', offers: [] } as const
  const { deps, steps } = house(ask)
  assert.equal((await callTool(deps, call, signal)).kind, 'refused')
  assert.deepEqual(steps, ['begin', 'ask', 'end refused'])
  const yes = house(ask, { approve: true })
  await callTool(yes.deps, call, signal)
  assert.deepEqual(yes.steps, ['begin', 'ask', 'call', 'end ok'])
})

test('callTool() asks nobody about arguments that do not fit', async () => {
  const ask = { kind: 'ask', rule: 'write', reason: 'it writes', offers: [] } as const
  const { deps, steps } = house(ask, { approve: true, misfit: 'no such argument' })
  const refusal = { kind: 'refused', rule: 'tool.arguments', reason: 'no such argument' }
  assert.deepEqual(await callTool(deps, call, signal), refusal)
  assert.deepEqual(steps, ['begin', 'end refused'])
})

test('callTool() does not run what was approved when the tool changed meanwhile', async () => {
  const ask = { kind: 'ask', rule: 'write', reason: 'it writes', offers: [] } as const
  const { deps, steps } = house(ask, { approve: true, changes: true })
  const result = await callTool(deps, call, signal)
  assert.equal(result.kind === 'refused' && result.rule, 'approval.void')
  assert.deepEqual(steps, ['begin', 'ask', 'end refused'])
})

test('callTool() takes one use of the grant that allows a call, and does not run without one', async () => {
  const granted = { kind: 'allow', rule: 'grant.tool', grants: ['g1'] } as const
  const spent = house(granted)
  assert.equal((await callTool(spent.deps, call, signal)).kind, 'refused')
  assert.deepEqual(spent.steps, ['begin', 'use', 'end refused'])
  const left = house(granted, { approve: true })
  await callTool(left.deps, call, signal)
  assert.deepEqual(left.steps, ['begin', 'use', 'call', 'end ok'])
})

test('callTool() leaves no record open when the server crashes', async () => {
  const { deps, steps } = house({ kind: 'allow', rule: 'read' }, { crash: true })
  await assert.rejects(callTool(deps, call, signal), /broken pipe/)
  assert.deepEqual(steps, ['begin', 'call', 'closed as failed'])
})

test('callTool() says that a call is about to leave after the yes and right before it does', async () => {
  const ask = { kind: 'ask', rule: 'write', reason: 'it writes', offers: [] } as const
  const { deps, steps } = house(ask, { approve: true })
  const beforeCall = async ({ effect }: ToolFacts) => {
    steps.push(`leaves to ${effect}`)
  }
  await callTool({ ...deps, beforeCall }, call, signal)
  assert.deepEqual(steps, ['begin', 'ask', 'leaves to write', 'call', 'end ok'])
  const refused = house(ask)
  await callTool({ ...refused.deps, beforeCall }, call, signal)
  assert.deepEqual(refused.steps, ['begin', 'ask', 'end refused'])
})

test('callTool() does not call where nobody could be told of it', async () => {
  const { deps, steps } = house({ kind: 'allow', rule: 'read' })
  const beforeCall = () => Promise.reject(new Error('the disk is full'))
  await assert.rejects(callTool({ ...deps, beforeCall }, call, signal), /disk is full/)
  assert.deepEqual(steps, ['begin', 'closed as failed'])
})

test('askFirst() puts what has to be asked into one question, and calls nothing', async () => {
  const ask = { kind: 'ask', rule: 'write', reason: 'it writes', offers: [] } as const
  const { deps, steps } = house(ask)
  await askFirst(deps, [call, call, call], signal)
  assert.deepEqual(steps, ['ask about 3'])
  const fine = house({ kind: 'allow', rule: 'read' })
  await askFirst(fine.deps, [call, call], signal)
  const odd = house(ask, { misfit: 'no such argument' })
  await askFirst(odd.deps, [call, call], signal)
  assert.deepEqual([...fine.steps, ...odd.steps], [])
})

const secretArg = new Labelled('x', {
  label: { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) },
})

test('callTool() has it on disk that a server is told others’ data before the call leaves, or makes no call', async () => {
  const { deps, steps } = house({ kind: 'allow', rule: 'read.remote' })
  const told = {
    of: () => undefined,
    raise: async (server: string, args: Iterable<Label>) => {
      steps.push(`${server} is told ${[...args].map(({ level }) => level).join()}`)
    },
  }
  const request = { ...call, args: { query: secretArg } }
  await callTool({ ...deps, told }, request, signal)
  assert.deepEqual(steps.slice(0, 3), ['begin', 'notion is told sensitive', 'call'])
  const broken = { ...told, raise: () => Promise.reject(new Error('disk full')) }
  steps.length = 0
  await assert.rejects(callTool({ ...deps, told: broken }, request, signal), /disk full/)
  assert.deepEqual(steps, ['begin', 'closed as failed'])
})

test('callTool() joins what the server was told before into its answer, also where that has to be looked up', async () => {
  const { deps } = house({ kind: 'allow', rule: 'read.remote' })
  const before: Label = { ...secretArg.label, integrity: 'user' }
  for (const looked of [before, Promise.resolve(before)]) {
    const told = { of: () => looked, raise: () => undefined }
    const result = await callTool({ ...deps, told }, call, signal)
    assert.ok(result.kind === 'ok')
    assert.deepEqual(result.value.label, {
      integrity: 'external',
      level: 'sensitive',
      origins: new Set(['notion', 'mail']),
    })
  }
})

test('callTool() drops what a server says in a failure, where it may repeat more than the task may handle', async () => {
  const { deps } = house({ kind: 'allow', rule: 'read' })
  const failure = { kind: 'failed', code: 'call.lost', reason: 'It ended: PATIENT 7' } as const
  const servers = { ...deps.servers, call: async () => failure }
  const before = (level: Label['level']) => ({
    of: (): Label => ({ integrity: 'user', level, origins: new Set(['clinic']) }),
    raise: () => undefined,
  })
  const template = { ...TEMPLATE, ceiling: 'sensitive' } as const
  const limited = { ...call, task: { ...call.task, template } }
  const above = await callTool({ ...deps, servers, told: before('regulated') }, limited, signal)
  assert.ok(above.kind === 'failed' && above.code === 'call.lost')
  assert.match(above.reason, /may be regulated and was dropped/)
  assert.ok(!JSON.stringify(above).includes('PATIENT'))
  // Controls: what it was told is within the ceiling, or nothing limits the task.
  for (const [told, request] of [
    [before('sensitive'), limited],
    [before('regulated'), call],
  ] as const) {
    assert.deepEqual(await callTool({ ...deps, servers, told }, request, signal), failure)
  }
})
