/**
 * Servers of a day: real tool lists under definitions as a connection writes them. Facts, effects, roles and labels are
 * computed by the host's own code; only the content of answers is made up, in the form in which the real server gives it.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { KNOWN_SERVICES } from '../../src/catalog/known-services.ts'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import type { ServerDefinition, ToolOverride } from '../../src/kernel/server-definition.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { ToolDescription } from '../../src/kernel/server-state.ts'
import type { ToolCall } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { ToolId } from '../../src/kernel/tool-id.ts'
import { type Manifest, readManifest } from '../../src/servers/life/manifest.ts'
import { createFacts } from '../../src/servers/life/tool-facts.ts'
import { readAnswer } from '../../src/servers/session/tool-answer.ts'
import { jsonIn } from '../../src/servers/tools/json-in.ts'
import { marksFor, proposeTools } from '../../src/servers/tools/propose-tools.ts'
import { foreseeLabels, labelAnswer, labelOf } from '../../src/servers/tools/output-labels.ts'
import type { Json } from '../../src/text/json.ts'
import type { Recorded } from '../agentdojo/fake-house.ts'

const LISTS = path.resolve(import.meta.dirname, '../../../shared/data/tools')

export const areListsHere: boolean = existsSync(LISTS)

/** The content of an answer, by `server.tool`. */
export type Answers = Readonly<Record<string, (args: ToolCall['args']) => Json>>

interface DayServer {
  readonly definition: ServerDefinition
  readonly manifest: Manifest
}

export interface DayServers {
  facts(tool: ToolId): ToolFacts
  answer(call: ToolCall): Recorded
  tools(server: string): readonly ToolDescription[]
  readonly index: Pick<FlowDeps['toolIndex'], 'list' | 'answers'>
}

/** A service of the catalog, with the catalog's words on its tools. */
export function knownServer(slug: string, list: string): DayServer {
  const service = KNOWN_SERVICES.find((one) => one.slug === slug) ?? assert.fail(slug)
  const source = { kind: 'catalog', name: slug } as const
  const { label, domains, tools } = service
  const known = { label, allowedDomains: domains, tools, isKnown: true, source }
  return { definition: define(slug, known), manifest: readList(list) }
}

/** A server outside the catalog, whose owner said yes to the one screen at connect and to nothing else. */
export function strangeServer(id: string, list: string): DayServer {
  const manifest = readList(list)
  const bare = define(id, { allowedDomains: [`api.${id}.example`] })
  const proposal = proposeTools(bare, [...manifest.tools.values()], manifest.hash)
  const said = [...marksFor(proposal, { kind: 'as-said' })].flatMap(
    ([name, semantics]): readonly [string, ToolOverride][] =>
      semantics ? [[name, { semantics }]] : [],
  )
  return { definition: { ...bare, tools: Object.fromEntries(said) }, manifest }
}

function readList(list: string): Manifest {
  const answer = JSON.parse(readFileSync(path.join(LISTS, `${list}.json`), 'utf8')) as {
    readonly tools?: unknown
  }
  const raw = (answer.tools ?? answer) as Parameters<typeof readManifest>[0]
  return readManifest(raw, undefined)
}

function define(id: string, more: Partial<ServerDefinition>): ServerDefinition {
  return {
    id: parseServerId(id),
    name: id,
    description: '',
    label: 'sensitive',
    transport: 'stdio',
    command: 'node',
    args: [],
    allowedDomains: [],
    enabled: true,
    scopes: [],
    env: {},
    auth: {},
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 2 ** 28,
      readOnlyFs: true,
      allowTmp: false,
      readPaths: [],
      writePaths: [],
    },
    tools: {},
    config: {},
    ...more,
  }
}

export function openServers(all: readonly DayServer[], answers: Answers): DayServers {
  const factsOf = createFacts()
  const find = (server: string): DayServer =>
    all.find(({ definition }) => definition.id === server) ?? assert.fail(server)
  const facts = ({ server, name }: ToolId): ToolFacts => {
    const { definition, manifest } = find(server)
    return factsOf({ definition }, manifest.tools.get(name) ?? assert.fail(`${server}.${name}`))
  }
  return {
    facts,
    answer(call) {
      const { server, name } = call.tool
      const say = answers[`${server}.${name}`] ?? (() => 'Done.')
      return answerOf(find(server), call, say(call.args))
    },
    tools: (server) => [...find(server).manifest.tools.values()],
    index: {
      list: async () =>
        all.flatMap(({ definition, manifest }) =>
          [...manifest.tools.values()].map(({ name }) => {
            const { id, effect } = facts({ server: definition.id, name })
            return { card: { id, title: name, summary: name, effect, args: [] } }
          }),
        ),
      answers: async (server) => {
        const { definition, manifest } = find(server)
        const trees = [...manifest.tools.values()].map((tool) => {
          const own = definition.tools[tool.name]
          const isRead = tool.outputSchema !== undefined || own?.answers === 'json'
          const { fields = [], directory = [] } = (isRead && own) || {}
          const from = { kind: 'tool', server, tool: tool.name, callId: '' } as const
          const tree = foreseeLabels({ label: labelOf(definition), fields, directory, from })
          return [tool.name, tree] as const
        })
        return new Map(trees)
      },
    },
  }
}

/** Through the code that reads real answers: structured where the tool has an output schema, else one text. */
function answerOf(server: DayServer, call: ToolCall, value: Json): Recorded {
  const { definition } = server
  const { name } = call.tool
  const { bare, isData } = readValue(server, name, value)
  const { fields = [], directory = [] } = (isData && definition.tools[name]) || {}
  const label = labelOf(definition)
  const from = { kind: 'tool', server: definition.id, tool: name, callId: call.callId } as const
  const labels = labelAnswer({ label, raw: {}, fields, directory, from })
  return { value: bare, label, labels }
}

function readValue(
  { definition, manifest }: DayServer,
  name: string,
  value: Json,
): { readonly bare: Json; readonly isData: boolean } {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const isStructured = manifest.tools.get(name)?.outputSchema !== undefined
  const content = [{ type: 'text', text }]
  const answer = readAnswer(
    isStructured ? { content, structuredContent: value } : { content },
    (words) => words,
  )
  assert.ok(answer.kind === 'ok')
  const isJson = definition.tools[name]?.answers === 'json'
  const parsed = isJson ? jsonIn(answer.value, (words) => words) : undefined
  return { bare: parsed ?? answer.value, isData: answer.structured || parsed !== undefined }
}
