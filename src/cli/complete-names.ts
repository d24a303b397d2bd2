/**
 * Completion of names that only the kernel knows: servers, tools and their arguments, services, saved flows. Never
 * starts a kernel. A name that a shell would evaluate is not offered: tools are named by strangers.
 */
import type { Api } from '../api/contract.ts'
import { declaredArguments } from '../text/call-arguments.ts'
import type { JsonObject } from '../text/json.ts'
import type { Surface } from './context.ts'

type Source = (api: Api, words: readonly string[]) => Promise<readonly string[]>

const servers: Source = async (api) =>
  (await api.call('mcp.list', {})).servers.map(({ server }) => server)

const services: Source = async (api) =>
  (await api.call('catalog.list', {})).services.map(({ slug }) => slug)

const flows: Source = async (api) =>
  (await api.call('flows.list', {})).flows.map(({ name }) => name)

const tools: Source = async (api) =>
  (await api.call('tools.list', {})).tools.map(({ card }) => `${card.id.server}.${card.id.name}`)

/** The tool, then its arguments: `path=`. */
const calls: Source = async (api, [tool = '', ...more]) => {
  if (more.length === 0) return await tools(api, [])
  const dot = tool.indexOf('.')
  const listed = await api.call('mcp.tools', { server: tool.slice(0, dot) })
  const found = listed.tools.find(({ name }) => name === tool.slice(dot + 1))
  return declaredArguments(found?.inputSchema).map((name) => `${name}=`)
}

/** The server, then the URI of a resource. */
const resources: Source = async (api, [server = '', ...more]) => {
  if (more.length === 0) return await servers(api, [])
  const listed = await api.call('mcp.resources', { server })
  return more.length === 1 ? namesOf(listed.resources, 'uri') : []
}

/** The server, then its prompt, then the arguments: `who=`. */
const prompts: Source = async (api, [server = '', name, ...more]) => {
  if (name === undefined) return await servers(api, [])
  const listed = (await api.call('mcp.prompts', { server })).prompts
  if (more.length === 0) return namesOf(listed, 'name')
  const args = listed.find((prompt) => prompt['name'] === name)?.['arguments'] ?? []
  return namesOf(args as readonly JsonObject[], 'name').map((argument) => `${argument}=`)
}

function namesOf(items: readonly JsonObject[], key: string): readonly string[] {
  return items.map((item) => item[key]).filter((name) => typeof name === 'string')
}

const OF_SEVERAL: ReadonlySet<Source | undefined> = new Set([calls, resources, prompts])
const OF_MCP =
  'show start stop restart logs tools remove edit enable disable accept export resources prompts'.split(
    ' ',
  )
const OF_FLOW = 'show edit remove'.split(' ')
const PLACES: Readonly<Record<string, Source>> = {
  connect: services,
  disconnect: servers,
  'catalog show': services,
  'mcp call': calls,
  'mcp read': resources,
  'mcp prompt': prompts,
  'tools show': tools,
  'tools mark': servers,
  ...Object.fromEntries(OF_MCP.map((one) => [`mcp ${one}`, servers])),
  ...Object.fromEntries(OF_FLOW.map((one) => [`flow ${one}`, flows])),
}

/** The candidates for the last word; undefined where commands and options are completed. */
export async function completeNames(
  surface: Surface,
  words: readonly string[],
): Promise<readonly string[] | undefined> {
  const typed = words.at(-1) ?? ''
  const length = [2, 1].find((count) => Object.hasOwn(PLACES, words.slice(0, count).join(' ')))
  const source = length === undefined ? undefined : PLACES[words.slice(0, length).join(' ')]
  const rest = words.slice(length)
  const isOneName = rest.length === 1 || OF_SEVERAL.has(source)
  if (!source || !isOneName || rest.length === 0 || typed.startsWith('-')) return undefined
  try {
    await using api = await surface.findKernel()
    if (!api) return undefined
    const names = await source(api, rest)
    return names.filter((name) => PLAIN.test(name) && name.startsWith(typed))
  } catch {
    return [] // a failed completion stays silent: the person only pressed a key
  }
}

/** Words that no shell interprets. */
export const PLAIN: RegExp = /^[\w@%+=:,./-]+$/
