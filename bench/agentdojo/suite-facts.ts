/**
 * The facts of a suite's tools, computed by the host's own code. The effects in the suite and the field manifest take
 * the place of a catalog entry.
 */
import type { Label, Level } from '../../src/labels/label.ts'
import { readDefinition } from '../../src/definitions/read-definition.ts'
import {
  SEMANTICS,
  type Semantics,
  type ServerDefinition,
} from '../../src/kernel/server-definition.ts'
import { serverIdFor } from '../../src/kernel/server-id.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { ToolIndex } from '../../src/ports/tool-view.ts'
import { readManifest } from '../../src/servers/life/manifest.ts'
import { createFacts } from '../../src/servers/life/tool-facts.ts'
import { createToolIndex } from '../../src/servers/tools/tool-index.ts'
import type { FieldManifest } from './field-manifest.ts'
import type { Suite, SuiteTool } from './suite.ts'

interface KnownTool {
  readonly facts: ToolFacts
  readonly label: Label
}

interface Known {
  /** The suite in which the tools were pinned. */
  readonly before?: Suite
  /** The level of a server that the suite says nothing of. */
  readonly level?: Level
}

/** Facts by tool. */
export function knowTools(
  suite: Suite,
  fields: FieldManifest,
  { before, level = SHIPPED_LEVEL }: Known = {},
): ReadonlyMap<string, KnownTool> {
  const factsOf = createFacts()
  const known = definitionsOf({ suite, fields, level }).flatMap(({ server, definition }) => {
    const origins = new Set([definition.id])
    const label: Label = { integrity: 'external', level: definition.label, origins }
    const pinned = before && readManifest(rawTools(before, server), undefined)
    const manifest = readManifest(rawTools(suite, server), pinned)
    return [...manifest.tools.values()].map(
      (tool) => [tool.name, { facts: factsOf({ definition }, tool), label }] as const,
    )
  })
  return new Map(known)
}

/** The tools as a planner sees them: the product's own index over the suite's servers. */
export function indexOf(
  suite: Suite,
  fields: FieldManifest,
  level: Level = SHIPPED_LEVEL,
): ToolIndex {
  const servers = definitionsOf({ suite, fields, level }).map(({ server, definition }) => {
    const { tools } = readManifest(rawTools(suite, server), undefined)
    const all = [...tools.values()]
    return { definition, tools: { all: async () => all, instructions: async () => undefined } }
  })
  return createToolIndex({ factsOf: createFacts(), servers: () => servers })
}

function definitionsOf(
  about: About,
): readonly { readonly server: string; readonly definition: ServerDefinition }[] {
  const servers = Map.groupBy(about.suite.tools, (tool) => serverOf(about.suite, tool))
  return [...servers].map(([server, tools]) => {
    return { server, definition: definitionOf(about, server, tools) }
  })
}

function serverOf({ suite }: Suite, { server }: SuiteTool): string {
  return server ?? suite
}

function rawTools(suite: Suite, server: string): Parameters<typeof readManifest>[0] {
  return suite.tools
    .filter((tool) => serverOf(suite, tool) === server)
    .map(({ name, description = '', inputSchema, annotations = {} }) => ({
      name,
      description,
      inputSchema,
      annotations,
    }))
}

/** The level that Cordon gives to a server that nobody labelled. */
const SHIPPED_LEVEL: Level = (() => {
  const read = readDefinition('unlabelled.toml', '[server]\ncommand = "node"\n', '/nowhere')
  if (read.kind !== 'definition') throw new TypeError('A definition needs no label')
  return read.definition.label
})()

interface About {
  readonly suite: Suite
  readonly fields: FieldManifest
  readonly level: Level
}

function definitionOf(
  { suite, fields: { fields, directories }, level: unlabelled }: About,
  server: string,
  tools: readonly SuiteTool[],
): ServerDefinition {
  const { level = unlabelled, egress = 'vendor', isUnknown = false } = suite.servers?.[server] ?? {}
  const overrides = tools.map(({ name, effect }) => {
    const semantics = isUnknown ? undefined : semanticsOf(effect)
    const said = {
      ...(semantics && { semantics }),
      fields: [...(fields.get(name) ?? [])],
      directory: directories?.get(name) ?? [],
    }
    return [name, said] as const
  })
  return {
    id: serverIdFor(server),
    name: server,
    description: '',
    label: level,
    transport: 'stdio',
    command: 'node',
    args: [],
    allowedDomains: egress === 'none' ? [] : ['api.example.com'],
    enabled: true,
    scopes: [],
    ...(!isUnknown && { source: { kind: 'catalog', name: server } }),
    env: {},
    auth: {},
    sandbox: {
      // Without a sandbox the server can reach any host.
      mode: egress === 'open' ? 'none' : 'bwrap',
      memoryLimitBytes: 2 ** 28,
      readOnlyFs: true,
      allowTmp: false,
      readPaths: [],
      writePaths: [],
    },
    tools: Object.fromEntries(overrides),
    config: {},
  }
}

/** An effect that only the suite knows (sending data out) counts as a read; the argument roles say where data goes. */
function semanticsOf(effect: string): Semantics {
  return SEMANTICS.find((one) => one === effect) ?? 'read'
}
