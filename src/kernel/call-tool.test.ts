import assert from 'node:assert/strict'
import { test } from 'node:test'
import { callTool } from './call-tool.ts'
import { OWNER } from './principal.ts'
import { parseServerId } from './server-id.ts'
import type { ToolCall, ToolResult, Verdict } from './tool-call.ts'

const call: ToolCall = {
  callId: 'c1',
  principal: OWNER,
  tool: { server: parseServerId('notion'), name: 'search' },
  args: {},
}
const found: ToolResult = {
  kind: 'ok',
  value: 'page',
  label: { integrity: 'external', level: 'internal', origins: new Set(['notion']) },
}

function house(verdict: Verdict, options: { approve?: boolean; crash?: boolean } = {}) {
  const steps: string[] = []
  const rooms = {
    policy: { decide: () => verdict },
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
          [Symbol.asyncDispose]: async () => {
            if (open) steps.push('closed as failed')
          },
        }
      },
    },
    approvals: {
      ask: async () => {
        steps.push('ask')
        return options.approve ?? false
      },
    },
    servers: {
      effectOf: () => 'write',
      call: async () => {
        steps.push('call')
        if (options.crash) throw new Error('broken pipe')
        return found
      },
    },
  }
  return { rooms: rooms as unknown as Parameters<typeof callTool>[0], steps }
}

const signal = new AbortController().signal

test('callTool() writes the record before it calls, and closes it after', async () => {
  const { rooms, steps } = house({ kind: 'allow', rule: 'read' })
  assert.equal((await callTool(rooms, call, signal)).kind, 'ok')
  assert.deepEqual(steps, ['begin', 'call', 'end ok'])
})

test('callTool() never reaches a server when the verdict is deny', async () => {
  const { rooms, steps } = house({ kind: 'deny', rule: 'pin', reason: 'changed' })
  assert.deepEqual(await callTool(rooms, call, signal), { kind: 'refused', reason: 'changed' })
  assert.deepEqual(steps, ['begin', 'end refused'])
})

test('callTool() asks after the record is written, and takes no for an answer', async () => {
  const { rooms, steps } = house({ kind: 'ask', rule: 'write', reason: 'it writes' })
  assert.equal((await callTool(rooms, call, signal)).kind, 'refused')
  assert.deepEqual(steps, ['begin', 'ask', 'end refused'])
  const yes = house({ kind: 'ask', rule: 'write', reason: 'it writes' }, { approve: true })
  await callTool(yes.rooms, call, signal)
  assert.deepEqual(yes.steps, ['begin', 'ask', 'call', 'end ok'])
})

test('callTool() leaves no record open when the server crashes', async () => {
  const { rooms, steps } = house({ kind: 'allow', rule: 'read' }, { crash: true })
  await assert.rejects(callTool(rooms, call, signal), /broken pipe/)
  assert.deepEqual(steps, ['begin', 'call', 'closed as failed'])
})
