/**
 * Help about one tool from its own schema, and the names that a mistyped server, tool or argument is near to. A server's
 * words are untrusted: cut, and printed without control characters.
 */
import type { Api } from '../../api/contract.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import { declaredArguments, typesOf } from '../../text/call-arguments.ts'
import { closestNames } from '../../text/closest-names.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { columns, cut, printableLine } from '../output.ts'

const MOST_NAMED = 12
const LONGEST_DESCRIPTION = 500
const LONGEST_LINE = 90

interface Named {
  readonly server: string
  readonly tool: string
  readonly workingFolder: string
}

/** The tool as its server describes it; undefined if it is not known, or its server never ran. */
export async function findTool(
  api: Api,
  { server, tool, workingFolder }: Named,
): Promise<ToolDescription | undefined> {
  const { tools } = await api
    .call('mcp.tools', { server, workingFolder })
    .catch(() => ({ tools: [] }))
  return tools.find(({ name }) => name === tool)
}

export function describeCall(
  { server }: Pick<Named, 'server'>,
  { name, description = '', inputSchema }: ToolDescription,
): readonly string[] {
  const required = new Set(listOf(inputSchema['required']))
  const names = declaredArguments(inputSchema)
  const rows = names.map((one) => {
    const property = objectOf(objectOf(inputSchema['properties'])[one] ?? {})
    return [
      `  ${printableLine(one)}`,
      typeText(property),
      required.has(one) ? 'required' : '',
      about(property),
    ]
  })
  const shown = names.filter((one) => required.has(one))
  const example = [`${server}.${name}`, ...shown.map((one) => `${one}=…`)]
    .map(printableLine)
    .join(' ')
  return [
    printableLine(`${server}.${name}`),
    ...(description === ''
      ? []
      : [`  in its server's words: ${cut(description, LONGEST_DESCRIPTION)}`]),
    '',
    ...(rows.length === 0 ? ['It takes no arguments.'] : ['Arguments:', ...columns(rows)]),
    '',
    'Write them as name=value, --name value, or one JSON object:',
    `  $ cordon mcp call ${example}`,
  ]
}

function typeText(property: JsonObject): string {
  const choices = listOf(property['enum']).filter((one) => typeof one === 'string')
  if (choices.length > 0) return cut(choices.join('|'), 40)
  const types = typesOf(property).map((type) => TYPES[type] ?? 'any')
  return types.length === 0 ? 'any' : types.join(' or ')
}

const TYPES: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'number',
  integer: 'whole number',
  boolean: 'true or false',
  array: 'list',
  object: 'object',
  null: 'nothing',
}

function about(property: JsonObject): string {
  const { description } = property
  return typeof description === 'string' ? cut(description, LONGEST_LINE) : ''
}

/** For a call that was refused since there is no such server or tool, or the arguments do not fit it. */
export async function nearestNames(
  api: Api,
  named: Named,
  rule: string,
): Promise<string | undefined> {
  const { server, tool, workingFolder } = named
  if (rule === 'tool.arguments') {
    const found = await findTool(api, named)
    const names = declaredArguments(found?.inputSchema)
    if (!found) return undefined
    return names.length === 0
      ? 'The tool takes no arguments'
      : `It takes ${listed(names)}; \`cordon mcp call ${server}.${tool} --help\` says more`
  }
  if (rule !== 'tool.unknown') return undefined
  const { servers } = await api.call('mcp.list', { workingFolder })
  const slugs = servers.map((one) => one.server)
  if (!slugs.includes(server)) {
    return `There is no server ${JSON.stringify(server)}. ${suggestion(server, slugs, 'Servers')}`
  }
  const { tools } = await api.call('mcp.tools', { server, workingFolder })
  if (tools.length === 0) return `Its tools are not known yet; run \`cordon mcp start ${server}\``
  return suggestion(
    tool,
    tools.map(({ name }) => name),
    `Tools of ${server}`,
  )
}

function suggestion(typed: string, names: readonly string[], title: string): string {
  const near = closestNames(typed, names)
  if (near.length > 0)
    return `Did you mean ${near.map((name) => JSON.stringify(name)).join(' or ')}?`
  return names.length === 0 ? 'Run `cordon connect SERVICE` first' : `${title}: ${listed(names)}`
}

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  const shown = names
    .slice(0, MOST_NAMED)
    .map((name) => cut(name, 64))
    .join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {}
}
