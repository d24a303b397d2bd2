/** The real door and policy before servers of a few lines, with an owner who refuses every approval. */
import { callTool } from '../../../src/kernel/call-tool.ts'
import type { Effect } from '../../../src/kernel/effect.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { factsOf } from '../../../src/kernel/test-facts.ts'
import { never } from '../../../src/kernel/test-never.ts'
import type { CallResult, Task, ToolCall } from '../../../src/kernel/tool-call.ts'
import type { Role, ToolFacts } from '../../../src/kernel/tool-facts.ts'
import { showTool } from '../../../src/kernel/tool-id.ts'
import { type Label, type Level, OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { labelAnswer } from '../../../src/servers/tools/output-labels.ts'
import type { Json } from '../../../src/text/json.ts'
import { createHouse, type Recorded } from '../../../bench/agentdojo/fake-house.ts'

export interface FakeTool {
  readonly effect: Effect
  /** By argument; an argument that is not listed is a target. */
  readonly roles?: Readonly<Record<string, Role>>
  readonly level?: Level
  /** The highest level of other servers' data that the server may be sent. */
  readonly others?: Level
  /** Fields of the answer that the catalog calls the service's own. */
  readonly fields?: readonly string[]
  /** Such fields that are a directory of people or channels. */
  readonly directory?: readonly string[]
  readonly answer?: (args: Readonly<Record<string, Json>>) => Json
}

type Args = Readonly<Record<string, Json | Labelled>>

export interface FakeDoor {
  /** The calls that reached a server. */
  readonly reached: readonly ToolCall[]
  /** The labelled answer. Throws if the call was refused. */
  call(tool: string, args?: Args, task?: Partial<Task>): Promise<Labelled>
  /** The rule by which the owner was asked; undefined if the call was made in silence. */
  askedBy(tool: string, args?: Args, task?: Partial<Task>): Promise<string | undefined>
}

export function openFakeDoor(tools: Readonly<Record<string, FakeTool>>): FakeDoor {
  const toolOf = (id: ToolFacts['id']): FakeTool => {
    const tool = tools[showTool(id)]
    if (!tool) throw new Error(`${showTool(id)} is not in the scenario`)
    return tool
  }
  const house = createHouse({
    facts: (id) => factsFor(id, toolOf(id)),
    answer: ({ tool, args }) => answerOf(tool, toolOf(tool), args),
    owner: () => false,
  })
  const make = async (
    name: string,
    args: Args,
    task: Partial<Task>,
  ): Promise<[string, CallResult]> => {
    const [server = '', tool = ''] = name.split('.')
    const request = ownCall(OWNER, { server: parseServerId(server), name: tool }, {})
    const labelled = Object.entries(args).map(([key, value]) => [key, asLabelled(value)] as const)
    const whole = {
      ...request,
      args: Object.fromEntries(labelled),
      task: { ...request.task, ...task },
    }
    return [request.callId, await callTool(house.rooms, whole, never)]
  }
  return {
    reached: house.reached,
    async call(name, args = {}, task = {}) {
      const [, result] = await make(name, args, task)
      if (result.kind !== 'ok') throw new Error(`${name}: ${JSON.stringify(result)}`)
      return result.value
    },
    async askedBy(name, args = {}, task = {}) {
      const [callId, result] = await make(name, args, task)
      const verdict = house.verdicts.get(callId)
      return result.kind === 'ok' || verdict?.kind === 'allow' ? undefined : verdict?.rule
    },
  }
}

function factsFor(
  id: ToolFacts['id'],
  { effect, roles = {}, others = 'internal' }: FakeTool,
): ToolFacts {
  const clearance = { own: 'sensitive', others } as const
  return factsOf({ id, effect, roles: new Map(Object.entries(roles)), clearance })
}

function answerOf(id: ToolFacts['id'], tool: FakeTool, args: ToolCall['args']): Recorded {
  const { level = 'internal', fields = [], directory = [], answer = () => 'done' } = tool
  const label: Label = { integrity: 'external', level, origins: new Set([id.server]) }
  const from = { kind: 'tool', server: id.server, tool: id.name, callId: 'c' } as const
  return {
    value: answer(args),
    label,
    labels: labelAnswer({ label, raw: null, fields, directory, from }),
  }
}

function asLabelled(value: Json | Labelled): Labelled {
  if (value instanceof Labelled) return value
  return new Labelled(value, { label: OWN_WORDS, from: { kind: 'user' } })
}
