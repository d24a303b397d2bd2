/**
 * The commands of a chat, parsed without a model: `list`, `status`, `remove NAME`, and tools called by name. Any other
 * message is left to the next handler.
 */
import type { Api, Output } from '../api/contract.ts'
import type { ServerSummary } from '../api/servers.ts'
import { printable } from '../text/untrusted-text.ts'
import type { MessageHandler } from '../kernel/receive.ts'
import { showValue } from '../text/show-value.ts'
import { type ApprovalsApi, type ChatApprovals, createChatApprovals } from './chat-approvals.ts'
import { type MarksApi, markTool, showTools, takeTools } from './mark-tool.ts'
import { parseDirectCall } from './direct-call.ts'

/** The routes that these commands use. */
type ChatApi = Api<'status' | 'mcp.list' | 'connect.remove'> & MarksApi & ApprovalsApi

type Command = (rest: string, signal: AbortSignal) => Promise<string | undefined>

/** Answers the owner's messages only. */
export function createChatCommands(api: ChatApi): MessageHandler {
  const approvals = createChatApprovals(api)
  const find = (name: string) => findServer(api, name)
  const commands: Readonly<Record<string, Command>> = {
    list: async (rest) => (rest ? undefined : listServers(await api.call('mcp.list', {}))),
    status: async (rest) => (rest ? undefined : await showStatus(api)),
    help: async (rest) => (rest ? undefined : HELP),
    remove: async (rest) => await askToRemove(api, rest),
    disconnect: async (rest) => await askToRemove(api, rest),
    take: async (rest) => await showTools(api, find, rest),
    mark: async (rest) => await markTool(api, find, rest),
    'yes,': async (rest, signal) =>
      rest.startsWith('take ')
        ? await takeTools(api, find, rest.slice('take '.length))
        : await remove(api, rest, signal),
  }
  return async ({ principal, text, isTyped = false }, signal) => {
    if (principal.kind !== 'owner') return undefined
    const [word = '', ...rest] = text.trim().split(/\s+/)
    const name = word.toLowerCase()
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined
    const asked = isTyped ? approvals : undefined
    const answer =
      (await answerOpen(asked, text)) ??
      (await command?.(rest.join(' '), signal)) ??
      (await callByName(api, asked, text, signal))
    // The answer may hold untrusted text of a tool, and may be shown in a terminal.
    return answer === undefined ? undefined : { kind: 'text', text: printable(answer) }
  }
}

/** The result of a call whose question this message answers. */
async function answerOpen(
  approvals: ChatApprovals | undefined,
  text: string,
): Promise<string | undefined> {
  const answered = await approvals?.answer(text)
  return answered === undefined ? undefined : showResult(answered)
}

const HELP = [
  'connect NAME      connect a service, for example: connect notion',
  'list              the servers and how they are',
  'remove NAME       stop a server and forget it, with its credentials',
  'take the tools of NAME as they say   see what they claim, and take it',
  'mark NAME.TOOL read                  say what one tool does',
  'status            how Cordon is',
  'SERVER.TOOL a=1   call a tool, for example: notion.search query="plan"',
  'exit              leave',
].join('\n')

function listServers({ servers }: Output<'mcp.list'>): string {
  if (servers.length === 0) return 'Nothing is connected yet. Try: connect notion'
  return servers
    .map(({ server, state }) => {
      const reason = state.reason === undefined ? '' : ` (${state.reason})`
      return `${server}: ${state.badge}, ${state.tools} tools${reason}`
    })
    .join('\n')
}

async function showStatus(api: ChatApi): Promise<string> {
  const { version, vault, servers, page, auditDamage } = await api.call('status', {})
  return [
    `Cordon ${version}, ${servers} servers, vault ${vault.state}`,
    ...(page === null ? [] : [`page: ${page}`]),
    ...(auditDamage === null ? [] : [`The audit log: ${auditDamage}`]),
  ].join('\n')
}

async function askToRemove(api: ChatApi, name: string): Promise<string | undefined> {
  const found = await findServer(api, name)
  return (
    found &&
    `This removes ${found.name} and its stored credentials. Type: yes, remove ${found.server}`
  )
}

async function remove(
  api: ChatApi,
  words: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const [verb, ...name] = words.split(' ')
  const found = verb === 'remove' ? await findServer(api, name.join(' ')) : undefined
  if (!found) return undefined
  await api.call('connect.remove', { server: found.server, keepSecrets: false }, signal)
  return `${found.name} is removed, with its credentials.`
}

/** Matches a known server's name and nothing more: "remove the typo in line 3" is not a command. */
async function findServer(
  api: ChatApi,
  name: string,
): Promise<Pick<ServerSummary, 'server' | 'name'> | undefined> {
  const { servers } = await api.call('mcp.list', {})
  const wanted = name.toLowerCase()
  // The slug wins over the display name of another server.
  return (
    servers.find(({ server }) => server === wanted) ??
    servers.find(({ name: title }) => title.toLowerCase() === wanted)
  )
}

async function callByName(
  api: ChatApi,
  approvals: ChatApprovals | undefined,
  text: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const call = parseDirectCall(text)
  if (!call) return undefined
  const { servers } = await api.call('mcp.list', {})
  if (!servers.some(({ server }) => server === call.server)) return undefined
  // Piped input could answer its own questions, so it is asked none: the call is refused instead.
  const result = approvals ? approvals.call(call, signal) : api.call('mcp.call', call, signal)
  return showResult(await result)
}

function showResult(result: Output<'mcp.call'> | string): string {
  if (typeof result === 'string') return result
  if (result.kind === 'ok') return showValue(result.value)
  const hint = result.kind === 'failed' && result.hint !== undefined ? `. ${result.hint}` : ''
  return `${result.kind}: ${result.reason}${hint}`
}
