/** The real door, policy and servers, with an owner who refuses every approval. */
import type { Asked } from '../../../src/kernel/approval.ts'
import { callTool } from '../../../src/kernel/call-tool.ts'
import type { Json } from '../../../src/text/json.ts'
import { OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { CallResult, Task, ToolResult } from '../../../src/kernel/tool-call.ts'
import { createPolicy } from '../../../src/policy/create-policy.ts'
import { until } from '../../fixtures/until.ts'
import { never, type TestHouse } from '../../servers/runtime/direct-sandbox.ts'

export interface Door {
  readonly asked: Asked[]
  /** Plain values count as written by the owner. */
  call(
    tool: string,
    args?: Readonly<Record<string, Json | Labelled>>,
    task?: Partial<Task>,
  ): Promise<CallResult>
  /** The rule that refused a call; undefined when none did. */
  refusedBy(...call: Parameters<Door['call']>): Promise<string | undefined>
  /** The calls that the fixture server reports; waits until there are at least `lines`. */
  reached(server: string, lines?: number): Promise<readonly string[]>
}

export function openDoor({ servers, secrets }: TestHouse): Door {
  const asked: Asked[] = []
  const no = { kind: 'refused', rule: 'approval.denied', reason: 'No' } as const
  const door = {
    servers,
    policy: createPolicy({
      secrets,
      grantsFor: () => [],
      isEndorsed: () => false,
      alarm: () => undefined,
    }),
    audit: {
      begin: async () => ({
        end: async (result: ToolResult) => result,
        [Symbol.dispose]: () => undefined,
      }),
    },
    approvals: {
      async ask(one: Asked) {
        asked.push(one)
        return no
      },
      askTogether: async () => undefined,
      useGrant: async () => false,
    },
  }
  const call: Door['call'] = async (tool, args = {}, task = {}) => {
    const [server = '', name = ''] = tool.split('.')
    const request = ownCall(OWNER, { server: parseServerId(server), name }, {})
    const labelled = Object.entries(args).map(([key, value]) => [key, labelledAs(value)] as const)
    const whole = {
      ...request,
      args: Object.fromEntries(labelled),
      task: { ...request.task, ...task },
    }
    return await callTool(door, whole, never)
  }
  return {
    asked,
    call,
    async refusedBy(...one) {
      const before = asked.length
      const result = await call(...one)
      if (result.kind !== 'refused') return undefined
      return asked[before]?.verdict.rule ?? result.rule ?? 'refused'
    },
    async reached(server, expected = 0) {
      const read = async (): Promise<readonly string[]> => {
        const lines = await servers.logs(parseServerId(server))
        return lines.filter(({ text }) => text.includes(' reached ')).map(({ text }) => text)
      }
      await until(async () => (await read()).length >= expected)
      return await read()
    },
  }
}

function labelledAs(value: Json | Labelled): Labelled {
  if (value instanceof Labelled) return value
  return new Labelled(value, { label: OWN_WORDS, from: { kind: 'user' } })
}
