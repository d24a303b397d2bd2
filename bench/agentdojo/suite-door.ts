/**
 * The door of a suite: the real policy and approval queue over a real store, servers that replay recorded answers and
 * note every call that reaches them, and no audit log.
 */
import path from 'node:path'
import { Capability } from '../../src/kernel/capability.ts'
import type { Log, Policy } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolCall, ToolResult } from '../../src/kernel/tool-call.ts'
import { openApprovals, type OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'
import type { Rooms } from './fake-house.ts'
import type { Stage } from './flow-stage.ts'
import { answerTree } from './flow-tasks.ts'
import type { World } from './world.ts'

export const SILENT: Log = { info() {}, warn() {}, error() {} }

export async function openSuiteStore(folder: string): Promise<Store> {
  return await openStore({ sqlitePath: path.join(folder, 'state.db'), log: SILENT })
}

/** `clock` is added to the time of the queue: so many questions in a row are asked of nobody. */
export async function openQueue(
  stack: AsyncDisposableStack,
  store: Store,
  world: World,
  clock: { readonly ms: number },
): Promise<OwnedApprovals> {
  for (const { name } of world.suite.tools) {
    for (const grant of world.grants(name)) await store.grants.add(grant)
  }
  const receipt = { seq: 0, hash: '' }
  return stack.use(
    await openApprovals({
      owner: OWNER.id,
      rows: store.approvals,
      grants: store.grants,
      audit: { append: () => receipt, appendDurable: async () => receipt, damage: undefined },
      redactor: { redact: (text) => text },
      now: () => Date.now() + clock.ms,
      monotonic: () => performance.now() + clock.ms,
      pollMs: 50,
    }),
  )
}

export function policyOver(queue: OwnedApprovals): Policy {
  return createPolicy({
    secrets: { isIn: () => false },
    grantsFor: (tool) => queue.grantsFor(tool),
    isEndorsed: (...told) => queue.isEndorsed(...told),
    planFor: (taskId) => queue.planFor(taskId),
    alarm: () => undefined,
  })
}

/** Notes the rule of each call that is not simply allowed. */
export function noting(policy: Policy, rules: Map<string, string>): Policy {
  return {
    decide: (request, facts) => policy.decide(request, facts),
    open(request, verdict) {
      const opened = policy.open(request, verdict)
      if (opened.verdict.kind !== 'allow') rules.set(request.callId, opened.verdict.rule)
      return opened
    },
  }
}

export const UNWRITTEN: Rooms['audit'] = {
  begin: async () => ({
    end: async (result) => result,
    [Symbol.dispose]: () => undefined,
  }),
}

export function serversOf(
  world: World,
  stage: { readonly now: Pick<Stage, 'answer'> | undefined },
  reached: ToolCall[],
): Rooms['servers'] {
  return {
    know: ({ name }) => world.facts(name),
    misfit: async () => undefined,
    async call(capability): Promise<ToolResult> {
      const call = Capability.redeem(capability, Date.now())
      reached.push(call)
      const value = stage.now?.answer(call) ?? null
      const labels = answerTree(world, call.tool.name, call.callId)
      return { kind: 'ok', value, label: world.label(call.tool.name), labels }
    },
  }
}
