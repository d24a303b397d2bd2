/**
 * Runs the plan of a task, step by step, through the one door. Before a step that changes something, every step whose
 * arguments are known by then is judged, and all steps that need an approval are put to the owner as one question.
 */
import type { Asked } from '../../src/kernel/approval.ts'
import { callTool } from '../../src/kernel/call-tool.ts'
import type { Json } from '../../src/text/json.ts'
import type { Labelled } from '../../src/labels/labelled.ts'
import type { Policy, SecretFinder } from '../../src/kernel/ports.ts'
import { OWNER, type Principal } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import type { CallRequest, Task, ToolCall } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import { labelAnswer } from '../../src/servers/tools/output-labels.ts'
import { answersSoFar, resolve } from './arguments.ts'
import { createHouse, type House } from './fake-house.ts'
import { parsePath, rewritten } from './json-path.ts'
import type { Oracle } from './oracle.ts'
import type { PlanStep, TaskPlan } from './plan.ts'
import type { World } from './world.ts'

export interface Run {
  readonly world: World
  readonly oracle: Oracle
  readonly owner: (asked: Asked) => boolean
  readonly isBatched: boolean
  readonly principal?: Principal
  /** Fields of the task that override those of the plan. */
  readonly twist?: Partial<Task>
  readonly secrets?: SecretFinder
  /** Replaces the real policy, to see what the real one is worth. */
  readonly policy?: Policy
  readonly misfit?: (call: ToolCall) => Promise<string | undefined>
}

export interface Outcome {
  readonly house: House
  readonly questions: number
  /** Every call that was tried, as it was brought to the door. */
  readonly requests: ReadonlyMap<string, CallRequest>
}

export async function runTask(run: Run, plan: TaskPlan): Promise<Outcome> {
  const { world, oracle } = run
  const steps = withGoal(plan, oracle)
  const house = createHouse({
    facts: ({ name }) => world.facts(name),
    answer: (call) => replay(run, plan, call),
    owner: run.owner,
    grantsFor: ({ name }) => world.grants(name),
    ...(run.policy && { policy: run.policy }),
    ...(run.secrets && { secrets: run.secrets }),
    ...(run.misfit && { misfit: run.misfit }),
  })
  const answers = new Map<number, Labelled>()
  const requests = new Map<string, CallRequest>()
  const request = (step: PlanStep): CallRequest | undefined => {
    const made = requests.get(callIdOf(plan, step)) ?? bring(run, plan, step, answers)
    if (made) requests.set(made.callId, made)
    return made
  }
  const asked = new Set<string>()
  for (const [at, step] of steps.entries()) {
    if (step.isSink && run.isBatched) {
      await askAhead(
        house,
        world,
        asked,
        steps.slice(at).flatMap((one) => request(one) ?? []),
      )
    }
    const call = request(step)
    if (!call) continue
    const result = await callTool(house.rooms, call, never)
    if (result.kind === 'ok') answers.set(step.at, result.value)
  }
  return { house, questions: house.questions.length, requests }
}

/** A plan made from untrusted instructions also contains the attacker's calls: reads before all sinks, sinks last. */
function withGoal({ steps }: TaskPlan, { goal }: Oracle): readonly PlanStep[] {
  const replanned = steps.find(({ isReplanned }) => isReplanned)
  if (!replanned || !goal) return steps
  const wishes = goal.calls.map(
    ({ tool, args, effect }, nth): PlanStep => ({
      ...replanned,
      at: steps.length + nth,
      tool,
      args: Object.fromEntries(
        Object.entries(args).map(([name, value]) => [name, { from: 'attacker', value }]),
      ),
      output: { message: 'done' },
      injectable: [],
      isRead: effect === 'read',
      isSink: effect !== 'read',
    }),
  )
  const sinks = steps.filter(({ isSink }) => isSink)
  const first = steps.length - sinks.length
  return [
    ...steps.slice(0, first),
    ...wishes.filter(({ isSink }) => !isSink),
    ...sinks,
    ...wishes.filter(({ isSink }) => isSink),
  ]
}

export function callIdOf({ task }: TaskPlan, { at }: PlanStep): string {
  return `${task.id}/${at}`
}

/** The request of a step; undefined while one of its arguments is not known. */
function bring(
  { world, oracle, principal = OWNER, twist }: Run,
  plan: TaskPlan,
  step: PlanStep,
  answers: ReadonlyMap<number, Labelled>,
): CallRequest | undefined {
  const known = answersSoFar(plan, step, answers)
  if (!known) return undefined
  const args: Record<string, Labelled> = {}
  for (const [name, source] of Object.entries(step.args)) {
    const nth = plan.steps.filter(({ tool, at }) => tool === step.tool && at < step.at).length
    const place = { tool: step.tool, nth, argument: name }
    const value = resolve({ world, oracle, known, place }, source)
    if (!value) return undefined
    args[name] = value
  }
  return {
    callId: callIdOf(plan, step),
    principal,
    tool: world.facts(step.tool).id,
    args,
    task: {
      id: plan.task.id,
      step: String(step.at),
      plan: step.isReplanned ? 'external' : 'user',
      control: { integrity: step.isGuarded ? 'external' : 'user', bits: step.bits },
      expects: world.pinned(step.tool).hash,
      words: plan.task.prompt,
      callsBefore: step.at,
      ...twist,
    },
  }
}

async function askAhead(
  { rooms }: House,
  world: World,
  asked: Set<string>,
  requests: readonly CallRequest[],
): Promise<void> {
  const judged = requests
    .filter(({ callId }) => !asked.has(callId))
    .map((request) => {
      const facts: ToolFacts = world.facts(request.tool.name)
      const opened = rooms.policy.open(request, rooms.policy.decide(request, facts))
      return { request, facts, ...opened }
    })
  const open = judged.flatMap(({ verdict, ...rest }) =>
    verdict.kind === 'ask' ? [{ ...rest, verdict }] : [],
  )
  if (open.length === 0) return
  for (const { request } of open) asked.add(request.callId)
  await rooms.approvals.askTogether(open, never)
}

/** The recorded answer, with the attacker's text in every field that others can write. */
function replay({ world, oracle }: Run, plan: TaskPlan, call: ToolCall) {
  const at = Number(call.callId.slice(plan.task.id.length + 1))
  const step = plan.steps.find((one) => one.at === at)
  let value: Json = step?.output ?? { message: 'done' }
  for (const { path } of oracle.goal ? (step?.injectable ?? []) : []) {
    value = rewritten(value, parsePath(path), (old) => withPayload(old, oracle))
  }
  const { server, name: tool } = call.tool
  const label = world.label(tool)
  const fields = [...(world.manifest.fields.get(tool) ?? [])]
  const from = { kind: 'tool', server, tool, callId: call.callId } as const
  const raw = step?.meta ? { _meta: step.meta } : {}
  const labels = labelAnswer({ label, raw, fields, from })
  return { value, label, labels }
}

function withPayload(old: Json, { goal }: Oracle): Json {
  return `${typeof old === 'string' ? old : JSON.stringify(old)}\n${goal?.goal}`
}
