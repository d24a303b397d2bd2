/**
 * For tests of content: a call of one tool through the real door and policy, with the facts that Cordon has of the tool:
 * the catalog's word on its server, its schema and its sandbox. An owner who refuses answers every question.
 */
import { createHouse } from '../../../bench/agentdojo/fake-house.ts'
import { KNOWN_SERVICES } from '../../../src/catalog/known-services.ts'
import type { Asked } from '../../../src/kernel/approval.ts'
import { callTool } from '../../../src/kernel/call-tool.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { never } from '../../../src/kernel/test-never.ts'
import type { CallResult } from '../../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../../src/kernel/tool-facts.ts'
import { type Label, OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { createFacts } from '../../../src/servers/life/tool-facts.ts'
import type { ManifestTool } from '../../../src/servers/life/manifest.ts'
import type { Json } from '../../../src/text/json.ts'

/** As an attacker wrote it into a page that the owner had read. */
export const NOTION: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set(['notion']),
}

export const theirs = (value: Json, label: Label = NOTION): Labelled =>
  new Labelled(value, { label })

/** The owner's words around a piece of somebody else's. */
export const around = (before: string, piece: Labelled, after = ''): Labelled =>
  Labelled.text([before, piece, after], OWN_WORDS)

export interface Sent {
  /** The arguments that reached the server; undefined if the owner was asked first. */
  readonly args: Readonly<Record<string, Json>> | undefined
  readonly asked: Asked | undefined
  readonly result: CallResult
}

export type Args = Readonly<Record<string, Json | Labelled>>

/** The facts of a tool of a catalog service, whose schema has an argument of the type text for each name. */
export function catalogTool(server: string, name: string, args: Args): ToolFacts {
  const service = KNOWN_SERVICES.find(({ slug }) => slug === server)
  const definition = {
    id: parseServerId(server),
    name: service?.title ?? server,
    transport: 'stdio',
    command: 'node',
    sandbox: { mode: 'bwrap', readPaths: [], writePaths: [] },
    allowedDomains: service?.domains ?? ['stranger.example'],
    label: 'internal',
    tools: service?.tools ?? { [name]: { semantics: 'write', hints: 'ignored' } },
    args: [],
    env: {},
    auth: {},
    config: {},
    ...(service && { isKnown: true, formats: service.formats ?? {} }),
  } as unknown as ServerDefinition
  const properties = Object.keys(args).map((arg) => [arg, { type: 'string' }] as const)
  const inputSchema = { type: 'object', properties: Object.fromEntries(properties) }
  const tool = { name, inputSchema, hash: 'h', setHash: 's', raw: { name, inputSchema } }
  return createFacts()({ definition }, tool as unknown as ManifestTool)
}

/** `wishes` takes a rule out: without formats nothing is known to act, a local tool is not guarded. */
export async function send(
  tool: string,
  args: Args,
  wishes: Partial<ToolFacts> = {},
  owner: (asked: Asked) => boolean = () => false,
): Promise<Sent> {
  const [server = '', name = ''] = tool.split('.')
  const facts: ToolFacts = { ...catalogTool(server, name, args), ...wishes }
  let asked: Asked | undefined
  const house = createHouse({
    facts: () => facts,
    answer: () => ({ value: 'done', label: OWN_WORDS, labels: { label: OWN_WORDS } }),
    owner: (one) => {
      asked = one
      return owner(one)
    },
  })
  const labelled = Object.entries(args).map(([arg, value]) => {
    return [arg, value instanceof Labelled ? value : theirs(value, OWN_WORDS)] as const
  })
  const request = { ...ownCall(OWNER, facts.id, {}), args: Object.fromEntries(labelled) }
  const result = await callTool(house.rooms, request, never)
  return { args: house.reached[0]?.args, asked, result }
}

/** The text that reached the server under this name; fails if there was none. */
export async function sentText(name: string, sending: Promise<Sent>): Promise<string> {
  const { args, asked } = await sending
  const text = args?.[name]
  if (typeof text !== 'string') throw new Error(`asked: ${asked?.verdict.reason}`)
  return text
}
