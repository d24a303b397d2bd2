/**
 * A house around the real door and the real policy, with fakes for the rest: servers that replay recorded answers and
 * note every call, an owner who answers at once, audit records in memory.
 */
import { isDeepStrictEqual } from 'node:util'
import type { Answer, Asked } from '../../src/kernel/approval.ts'
import type { callTool } from '../../src/kernel/call-tool.ts'
import { Capability } from '../../src/kernel/capability.ts'
import type { Grant } from '../../src/kernel/grant.ts'
import type { Json } from '../../src/text/json.ts'
import type { Label } from '../../src/labels/label.ts'
import type { LabelTree } from '../../src/labels/label-tree.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Policy, SecretFinder } from '../../src/kernel/ports.ts'
import type { ToolCall, ToolResult, Verdict } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { ToolId } from '../../src/kernel/tool-id.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'

export type Rooms = Parameters<typeof callTool>[0]

export interface Recorded {
  readonly value: Json
  readonly label: Label
  readonly labels: LabelTree
}

export interface HouseWishes {
  /** Looked up at every use: a server may change its tools meanwhile. */
  facts(tool: ToolId): ToolFacts
  answer(call: ToolCall): Recorded
  /** Why the arguments do not fit the tool; undefined where they fit. */
  misfit?(call: Pick<ToolCall, 'tool' | 'args'>): Promise<string | undefined>
  readonly owner: (asked: Asked) => boolean
  readonly secrets?: SecretFinder
  /** Replaces the real policy. */
  readonly policy?: Policy
  grantsFor?(tool: ToolId): readonly Grant[]
}

export interface House {
  readonly rooms: Rooms
  /** Calls that reached a server, in order. */
  readonly reached: readonly ToolCall[]
  readonly verdicts: ReadonlyMap<string, Verdict>
  /** The call ids of each question to the owner. */
  readonly questions: readonly (readonly string[])[]
  /** Calls that were refused because their arguments contain a secret. */
  readonly alarms: readonly string[]
  /** Closed audit records, in order. */
  readonly records: readonly { readonly callId: string; readonly result: ToolResult }[]
}

export function createHouse(wishes: HouseWishes): House {
  const reached: ToolCall[] = []
  const verdicts = new Map<string, Verdict>()
  const questions: string[][] = []
  const alarms: string[] = []
  const records: { callId: string; result: ToolResult }[] = []
  const real = createPolicy({
    secrets: wishes.secrets ?? { isIn: () => false },
    grantsFor: (tool) => wishes.grantsFor?.(tool) ?? [],
    isEndorsed: () => false,
    alarm: ({ callId }) => alarms.push(callId),
  })
  const policy = wishes.policy ?? real
  const rooms: Rooms = {
    policy: {
      decide: (request, facts) => policy.decide(request, facts),
      open(request, verdict) {
        const opened = policy.open(request, verdict)
        verdicts.set(request.callId, opened.verdict)
        return opened
      },
    },
    approvals: createOwner(wishes.owner, questions),
    audit: {
      begin: async ({ callId }) => ({
        end: async (result) => {
          records.push({ callId, result })
          return result
        },
        [Symbol.dispose]: () => undefined,
      }),
    },
    servers: {
      know: (tool) => wishes.facts(tool),
      misfit: async (call) => await wishes.misfit?.(call),
      async call(capability): Promise<ToolResult> {
        const call = Capability.redeem(capability, Date.now())
        const reason = await wishes.misfit?.(call)
        if (reason) return { kind: 'refused', rule: 'tool.arguments', reason }
        reached.push(call)
        return { kind: 'ok', ...wishes.answer(call) }
      },
    },
  }
  return { rooms, reached, verdicts, questions, alarms, records }
}

/** An owner who answers at once. An answer to `askTogether` also serves the later `ask` about the same call. */
function createOwner(wants: (asked: Asked) => boolean, questions: string[][]): Rooms['approvals'] {
  const answered: { readonly asked: Asked; readonly answer: Answer }[] = []
  const answerOf = (asked: Asked): Answer =>
    wants(asked)
      ? { kind: 'approved', approval: asked.request.callId, by: OWNER.id }
      : { kind: 'refused', rule: 'approval.denied', reason: 'The owner said no' }
  return {
    async ask(asked) {
      const at = answered.findIndex(
        (one) =>
          one.asked.request.callId === asked.request.callId &&
          isDeepStrictEqual(one.asked.args, asked.args),
      )
      const [before] = at < 0 ? [] : answered.splice(at, 1)
      if (before) return before.answer
      questions.push([asked.request.callId])
      return answerOf(asked)
    },
    async askTogether(all) {
      questions.push(all.map(({ request }) => request.callId))
      answered.push(...all.map((asked) => ({ asked, answer: answerOf(asked) })))
    },
    useGrant: async () => true,
  }
}
