import { OWN_WORDS } from '../labels/label.ts'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { Grant } from '../kernel/grant.ts'
import type { Approvals } from '../kernel/ports.ts'
import { OWNER, type Principal, parsePrincipalId } from '../kernel/principal.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { type ApprovalDeps, approvalRoutes } from './approvals.ts'
import { CallProgress } from '../text/call-progress.ts'
import { type CallDeps, callRoutes, type CallsUnderWay } from './calls.ts'

const CALL = { server: 'mail', tool: 'send', args: { to: 'x' } }
const ID = '0f8fad5b-d9cb-469f-a165-70867728950e'
const id = { server: parseServerId('mail'), name: 'send' }
const facts = { id, effect: 'write', hash: 'h1', serverPin: 'p1' }
const never = new AbortController().signal

const ANN: Principal = { kind: 'owner', id: parsePrincipalId('principal:ann') }

/** A door behind which every call needs an approval. `acted` tells in whose name the queue was used. */
function house(principal = OWNER) {
  const asked: string[] = []
  const done: string[] = []
  const acted: string[] = []
  const open = Promise.withResolvers<void>()
  const approving = (who: string): Approvals => ({
    ask: async () => {
      asked.push(who)
      if (who === 'queue') await open.promise
      return { kind: 'approved', approval: 'a', by: principal.id }
    },
    askTogether: async () => undefined,
    useGrant: async () => true,
  })
  const verdict = { kind: 'ask', rule: 'x', reason: 'It writes', offers: [] }
  const deps = {
    principal,
    servers: {
      know: async ({ name }: { name: string }) => {
        if (name === 'gone') throw new Error('no such server')
        return facts
      },
      misfit: async () => undefined,
      quarantine: async (server: string) => void done.push(`quarantine ${server}`),
      call: async () => ({ kind: 'ok', value: 'sent', label: OWN_WORDS }),
    },
    audit: {
      begin: async () => ({
        end: async (result: object) => result,
        [Symbol.dispose]: () => undefined,
      }),
    },
    policy: { decide: () => verdict, open: () => ({ verdict, args: CALL.args }) },
    approvals: approving('queue'),
    input: { during: (_caller: object, work: () => Promise<unknown>) => work() },
    queue: {
      show: async () => ({
        state: 'pending',
        items: [
          { tool: { server: 'mail' } },
          { tool: { server: 'mail' } },
          { tool: { server: 'bank' } },
          { tool: { server: 'notes' }, isAllowed: true },
          { tool: { server: '~files' } },
        ],
      }),
      answer: async ({ server, by }: { readonly server?: string; readonly by: string }) => {
        acted.push(by)
        done.push(`deny ${server ?? 'all'}`)
        return { approval: {}, grants: [] }
      },
      withdraw: async (server: string, by: string) => {
        acted.push(by)
        done.push(`withdraw ${server}`)
      },
      revokeGrant: async (_id: string, by: string) => void acted.push(by),
      consented: (by: string) => {
        acted.push(by)
        return approving('owner')
      },
      follow: async (_call: string, signal: AbortSignal): Promise<ShownApproval | undefined> => {
        if (!signal.aborted) await once(signal, 'abort')
        return undefined
      },
      grants: async (): Promise<readonly Partial<Grant>[]> => {
        const grant = { kind: 'tool', server: id.server, createdAt: 0, expiresAt: 0 } as const
        return [
          { ...grant, tool: 'send', hash: 'h1', serverPin: 'p1' },
          { ...grant, tool: 'send', hash: 'h0', serverPin: 'p1' },
          { ...grant, tool: 'send', hash: 'h1', serverPin: 'p0' },
          { ...grant, tool: 'gone', hash: 'h1', serverPin: 'p1' },
        ]
      },
    },
  }
  const underWay: CallsUnderWay = new Map()
  const kept: string[] = []
  const memory = {
    addResult: async ({ name }: { readonly name: string }) => {
      if (kept.push(name) > 1) throw new Error('full')
    },
  }
  const log = { warn: (text: string) => void kept.push(text) }
  const known = { ...deps, memory, log, progress: new CallProgress() }
  const given = known as unknown as ApprovalDeps & CallDeps
  const routes = { ...callRoutes(given, underWay), ...approvalRoutes(given, underWay) }
  return { routes, asked, done, acted, open, kept }
}

test('mcp.call asks nobody unless it is told to', async () => {
  const { routes, asked } = house()
  const refused = {
    kind: 'refused',
    rule: 'approval.needed',
    reason: 'It writes; it needs your approval',
  }
  assert.deepEqual(await routes['mcp.call'].handle(CALL, never), refused)
  assert.deepEqual(await routes['mcp.call'].handle({ ...CALL, approval: 'never' }, never), refused)
  assert.deepEqual(asked, [])
  const given = await routes['mcp.call'].handle({ ...CALL, approval: 'given' }, never)
  assert.deepEqual([given.kind, asked], ['ok', ['owner']])
})

test('a result is kept only if the caller wants it, and is given also where it cannot be kept', async () => {
  const { routes, kept } = house()
  const given = { ...CALL, approval: 'given' } as const
  await routes['mcp.call'].handle(given, never)
  await routes['mcp.call'].handle({ ...CALL, isKept: true }, never)
  assert.deepEqual(kept, [])
  await routes['mcp.call'].handle({ ...given, isKept: true }, never)
  const again = await routes['mcp.call'].handle({ ...given, isKept: true }, never)
  assert.deepEqual([again.kind, kept], ['ok', [CALL.tool, CALL.tool, 'A result was not kept']])
})

test('a call can be followed until it ends, and its id is taken until then', async () => {
  const { routes, asked, open } = house()
  const calling = routes['mcp.call'].handle({ ...CALL, approval: 'wait', callId: ID }, never)
  while (asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  const following = routes['approvals.follow'].handle({ callId: ID }, never)
  const twin = routes['mcp.call'].handle({ ...CALL, callId: ID }, never)
  await assert.rejects(twin, { code: 'kernel.same-call', exit: 2 })
  open.resolve()
  assert.equal((await calling).kind, 'ok')
  assert.deepEqual(await following, { approval: null, isUnderWay: false })
})

test('grants.list says which grants are void, also where that cannot be found out', async () => {
  const { grants } = await house().routes['grants.list'].handle({}, never)
  assert.deepEqual(
    grants.map(({ isVoid }) => isVoid),
    [false, true, true, true],
  )
})

test('a no that quarantines does so first, for each server that is asked about and is one', async () => {
  const no = { id: 'q1', allow: [], quarantine: true, channel: 'terminal' } as const
  const all = house()
  const { quarantined } = await all.routes['approvals.answer'].handle(no, never)
  assert.deepEqual(quarantined, ['mail', 'bank'])
  const [mail, bank] = [
    ['quarantine mail', 'withdraw mail'],
    ['quarantine bank', 'withdraw bank'],
  ]
  assert.deepEqual(all.done, [mail[0], bank[0], 'deny all', mail[1], bank[1]])
  const one = house()
  await one.routes['approvals.answer'].handle({ ...no, server: 'bank' }, never)
  assert.deepEqual(one.done, [bank[0], 'deny bank', bank[1]])
  const plain = house()
  await plain.routes['approvals.answer'].handle({ ...no, quarantine: false }, never)
  assert.deepEqual(plain.done, ['deny all'])
  const { input } = plain.routes['approvals.answer']
  assert.ok(input.safeParse(no).success)
  assert.ok(!input.safeParse({ ...no, allow: ['0123abcd'] }).success)
})

test('questions and grants are answered in the name of the principal whom the API acts for', async () => {
  const { routes, acted } = house(ANN)
  await routes['mcp.call'].handle({ ...CALL, approval: 'given' }, never)
  const no = { id: 'q1', allow: [], quarantine: true, server: 'bank', channel: 'page' } as const
  await routes['approvals.answer'].handle(no, never)
  await routes['grants.revoke'].handle({ id: 'g1' }, never)
  assert.deepEqual(acted, [ANN.id, ANN.id, ANN.id, ANN.id])
})
