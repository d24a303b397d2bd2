/**
 * Flows of an attack in the real engine, before the real door and policy: a mailbox, a bank, a chat and a wiki, and a
 * model whose every answer the attacker writes. Nobody is there to be asked, so what happens, happens in silence.
 */
import { Capability } from '../../../src/kernel/capability.ts'
import { type BuiltInTools, isBuiltIn } from '../../../src/kernel/built-in-tools.ts'
import { factsOf } from '../../../src/kernel/test-facts.ts'
import type { CallRequest, Control, Verdict } from '../../../src/kernel/tool-call.ts'
import type { Label } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { RevealToken } from '../../../src/labels/reveal-token.ts'
import type { Json, JsonObject } from '../../../src/text/json.ts'
import {
  addEffect,
  type EngineHouse,
  never,
  openEngineHouse,
  startOf,
  type TestTool,
  untilOver,
} from '../../flows/engine-house.ts'
import { newPlace } from '../../flows/engine-tools.ts'

export interface Scene {
  /** The items that the attacker put into the lists of all servers. */
  readonly items?: readonly Json[]
  /** The answers of the model, by the id of the `extract` node. */
  readonly says?: Readonly<Record<string, JsonObject>>
  /** Takes a rule out: the policy judges this request instead. */
  readonly without?: (request: CallRequest) => CallRequest
  readonly more?: (folder: string) => readonly TestTool[]
  readonly folder?: string
}

export interface Attacked {
  readonly effects: readonly string[]
  /** The rules by which the owner would have been asked, the same one once. */
  readonly rules: readonly string[]
  readonly reasons: readonly string[]
  /** The data that decided about each call, by step. */
  readonly control: ReadonlyMap<string, Control>
  readonly state: string
  readonly problem: string
}

interface Seen {
  readonly verdicts: Extract<Verdict, { readonly kind: 'ask' }>[]
  readonly control: Map<string, Control>
}

export async function openScene(scene: Scene, seen?: Seen): Promise<EngineHouse> {
  const folder = scene.folder ?? newPlace()
  return await openEngineHouse({
    folder,
    tools: [...toolsIn(folder, scene), ...(scene.more?.(folder) ?? [])],
    builtIns: modelFor(scene),
    policy: (real) => ({
      ...real,
      decide(request, facts) {
        const verdict = real.decide(scene.without?.(request) ?? request, facts)
        const isReal = request.callId !== 'foreseen'
        if (isReal) seen?.control.set(request.task.step, request.task.control)
        if (isReal && verdict.kind === 'ask') seen?.verdicts.push(verdict)
        return verdict
      },
    }),
  })
}

/** Runs the flow to its end, with nobody there to answer. */
export async function attack(nodes: readonly Json[], scene: Scene = {}): Promise<Attacked> {
  return await attackWith({ nodes: [...nodes] }, scene)
}

export async function attackWith(ir: Json, scene: Scene = {}): Promise<Attacked> {
  const seen: Seen = { verdicts: [], control: new Map() }
  await using house = await openScene(scene, seen)
  await house.flows.start(startOf('r', ir, { approval: 'never' }), never)
  const { state, problem } = await untilOver(house.flows, 'r')
  return {
    effects: house.effects(),
    rules: [...new Set(seen.verdicts.map(({ rule }) => rule))],
    reasons: [...new Set(seen.verdicts.map(({ reason }) => reason))],
    control: seen.control,
    state,
    problem: problem?.message ?? '',
  }
}

function toolsIn(folder: string, { items = [] }: Scene): readonly TestTool[] {
  const act =
    (what: string): TestTool['run'] =>
    ({ args }) => {
      addEffect(folder, `${what} ${JSON.stringify(args)}`)
      return { id: 'done' }
    }
  const list = (server: string, name: string): TestTool => ({
    server,
    name,
    effect: 'remote-read',
    run: () => ({ items: [...items] }),
  })
  return [
    { ...list('mail', 'mails'), level: 'sensitive' },
    list('bank', 'bills'),
    list('wiki', 'pages'),
    {
      server: 'wiki',
      name: 'page',
      effect: 'remote-read',
      args: { id: 'query' },
      run: act('page'),
    },
    { server: 'bank', name: 'pay', effect: 'write', args: { to: 'target' }, run: act('pay') },
    { server: 'chat', name: 'post', effect: 'write', args: { text: 'content' }, run: act('post') },
    { server: 'wiki', name: 'edit', effect: 'write', args: { text: 'content' }, run: act('edit') },
    {
      server: 'wiki',
      name: 'set',
      effect: 'write',
      args: Object.fromEntries(SETTINGS.map((name) => [name, 'target' as const])),
      run: act('set'),
    },
  ]
}

const SETTINGS = ['page', 'public', 'starred', 'a', 'b', 'c', 'd', 'e', 'options']

/** A model that answers what the attacker wants, within the schema of the node. */
function modelFor({ says = {} }: Scene): BuiltInTools {
  return {
    know: (id) => {
      const clearance = { own: 'sensitive', others: 'sensitive' } as const
      const roles = new Map([
        ['input', 'content'],
        ['instruction', 'content'],
        ['schema', 'content'],
      ] as const)
      return isBuiltIn(id) ? factsOf({ id, effect: 'local-read', clearance, roles }) : undefined
    },
    async call(capability) {
      const { callId } = Capability.redeem(capability, Date.now())
      const node = callId.split('/')[1]?.replace(/[[@].*/, '') ?? ''
      const label: Label = {
        integrity: 'external',
        level: 'regulated',
        origins: new Set(['~model']),
      }
      return { kind: 'ok', value: says[node] ?? {}, label }
    },
    misfit: () => undefined,
  }
}

export const MAILS = { id: 'mails', type: 'mail.mails' } as const
export const BILLS = { id: 'bills', type: 'bank.bills' } as const
export const PAGES = { id: 'pages', type: 'wiki.pages' } as const
export const PAY = { id: 'pay', type: 'bank.pay', params: { to: 'landlord' } } as const
export const EDIT = { id: 'edit', type: 'wiki.edit', params: { text: 'seen' } } as const

/** A model reads these fields out of what the attacker wrote. */
export function extract(id: string, properties: JsonObject): Json {
  const schema = { type: 'object', properties, required: Object.keys(properties) }
  return { id, type: 'extract', params: { instruction: 'Look', input: '${pages.result}', schema } }
}

/** Takes out what decides about a step, as if the plan alone did. */
export function withoutControl(request: CallRequest): CallRequest {
  const control: Control = { integrity: 'user', bits: 0 }
  return { ...request, task: { ...request.task, control } }
}

/** Takes labels off the arguments, as if the owner had written them. */
export function withoutLabels(request: CallRequest): CallRequest {
  const label: Label = { integrity: 'user', level: 'internal', origins: new Set() }
  const args = Object.entries(request.args).map(([name, value]) => {
    return [name, new Labelled(Labelled.reveal(value, RevealToken.issue()), { label })] as const
  })
  return { ...request, args: Object.fromEntries(args) }
}
