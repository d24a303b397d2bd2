/**
 * The commands of a chat, parsed without a model: `list`, `/tools`, `remove NAME`, memory, and tools called by name. Any
 * other message is left to the next handler.
 */
import type { Api, Output } from '../api/contract.ts'
import type { ServerSummary } from '../api/servers.ts'
import { printable } from '../text/untrusted-text.ts'
import { conversationOf, type Message, type MessageHandler, type Reply } from '../kernel/receive.ts'
import { inChatWords } from '../text/in-chat-words.ts'
import { showAnswer } from '../text/show-result.ts'
import { type ApprovalsApi, type ChatApprovals, createChatApprovals } from './chat-approvals.ts'
import { CHAT_HELP, meantCommand } from './chat-help.ts'
import { chatListings, type ListingsApi } from './chat-listings.ts'
import { createChatMemory, type MemoryApi } from './chat-memory.ts'
import { type PackagesApi, prunePackages, showPackages } from './show-packages.ts'
import { type MarksApi, markTool, showTools, takeTools } from './mark-tool.ts'
import { allowHosts, answerNotices, type NoticesApi } from './notice-news.ts'
import { type ChatHosts, createChatHosts, type HostsApi } from './chat-hosts.ts'
import { createChatUpgrades, type UpgradesApi } from './chat-upgrades.ts'
import { accountId } from '../text/account-id.ts'
import { closestNames } from '../text/closest-names.ts'
import { expandHome } from '../text/expand-home.ts'
import { type DirectCall, parseDirectCall } from './direct-call.ts'

/** The routes that these commands use. */
type ChatApi = Api<'status' | 'mcp.list' | 'mcp.show' | 'mcp.tools' | 'connect.remove'> &
  MarksApi &
  ApprovalsApi &
  NoticesApi &
  HostsApi &
  MemoryApi &
  ListingsApi &
  UpgradesApi &
  PackagesApi

/** The folder of the terminal, for the servers of a project there. */
interface Here {
  readonly workingFolder?: string
}

/** `isHere`: typed at the terminal of this machine. */
type Command = (
  rest: string,
  signal: AbortSignal,
  typed: { readonly here: Here; readonly isHere: boolean },
) => Promise<string | undefined>

/** Answers the owner's messages only. */
export function createChatCommands(api: ChatApi, homeFolder: string): MessageHandler {
  const askingIn = createAskings(api)
  const find = (name: string) => findServer(api, name)
  const memory = createChatMemory(api)
  const upgrades = createChatUpgrades(api, find)
  const commands: Readonly<Record<string, Command>> = {
    ...chatListings(api),
    list: async (rest, _signal, { here }) =>
      rest ? undefined : listServers(await api.call('mcp.list', here)),
    status: async (rest) => (rest ? undefined : await showStatus(api)),
    help: async (rest) => (rest ? undefined : CHAT_HELP),
    remove: async (rest) => await askToRemove(api, rest),
    disconnect: async (rest) => await askToRemove(api, rest),
    take: async (rest) => await showTools(api, find, rest),
    mark: async (rest) => await markTool(api, find, rest),
    notices: async (rest) => await answerNotices(api, rest),
    packages: async (rest) => (rest ? undefined : await showPackages(api)),
    updates: async (rest, signal) => (rest ? undefined : await upgrades.list(signal)),
    upgrade: async (rest, signal) => await upgrades.show(rest, signal),
    'yes,': async (rest, signal) => {
      if (rest === 'prune packages') return await prunePackages(api)
      if (rest.startsWith('allow ')) return await allowHosts(api, rest.slice('allow '.length))
      if (rest.startsWith('take ')) return await takeTools(api, find, rest.slice('take '.length))
      return (await upgrades.agree(rest, signal)) ?? (await remove(api, rest, signal))
    },
  }
  const command: Command = async (text, signal, typed) => {
    const [word = '', ...rest] = text.trim().split(/\s+/)
    const found = findCommand(commands, word.toLowerCase(), rest.length > 0)
    return found ? await found(rest.join(' '), signal, typed) : meantCommand(text)
  }
  return async (message, signal) => {
    const { principal, text, isTyped, isAsked, folder } = message
    if (principal.kind !== 'owner') return undefined
    const here = folder === undefined ? {} : { workingFolder: folder }
    const asking = askingIn(message)
    const asked = isTyped ? asking : undefined
    const opened = replyWith(await answerOpen(asked, text, signal), asking.server)
    const answer =
      opened ?? replyWith(await command(text, signal, { here, isHere: isHere(message) }))
    const reply = answer ?? (await memory.answer(message))
    if (reply) return reply
    const heard = { text, homeFolder, asking: isAsked ? WAITING : {}, ...here }
    const called = await callByName(api, asked, heard, signal)
    return replyWith(called?.result, called?.server)
  }
}

function isHere({ channel, ref }: Message): boolean {
  return (channel ?? ref?.channel ?? 'terminal') === 'terminal'
}

/** `/list` is `list`, and `tools` alone is `/tools`. */
function findCommand(
  commands: Readonly<Record<string, Command>>,
  word: string,
  hasMore: boolean,
): Command | undefined {
  const names = [word, word.replace(/^\//, ''), ...(hasMore ? [] : [`/${word}`])]
  const found = names.find((name) => Object.hasOwn(commands, name))
  return found === undefined ? undefined : commands[found]
}

/** The answer may hold untrusted text of a tool, and may be shown in a terminal. */
function replyWith(
  result: Output<'mcp.call'> | string | undefined,
  server?: string,
): Reply | undefined {
  if (result === undefined) return undefined
  const text = printable(showResult(result))
  if (isLockedOut(result)) return { kind: 'locked', text }
  return { kind: 'text', text, ...(server !== undefined && { from: [server] }) }
}

/** The questions that a typed message can answer. */
interface Asking {
  readonly approvals: ChatApprovals
  readonly hosts: ChatHosts
  /** The server of the last call, which an open question is about. */
  server?: string | undefined
}

const MOST_CONVERSATIONS = 1000

/** One for each conversation: a yes in one chat never answers the question of another. */
function createAskings(api: ChatApi): (message: Message) => Asking {
  const askings = new Map<string, Asking>()
  return (message) => {
    const key = conversationOf(message)
    const known = askings.get(key)
    const asking = known ?? { approvals: createChatApprovals(api), hosts: createChatHosts(api) }
    askings.delete(key) // set anew, so that the first of the map is the one that was silent longest
    askings.set(key, asking)
    const [oldest] = askings.keys()
    if (askings.size > MOST_CONVERSATIONS && oldest !== undefined) askings.delete(oldest)
    return asking
  }
}

/** The result of a call whose question this message answers. */
async function answerOpen(
  asked: Asking | undefined,
  text: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const answered = await asked?.approvals.answer(text)
  if (asked && answered !== undefined) return showResult(asked.hosts.ask(answered))
  const again = await asked?.hosts.answer(text)
  if (again === undefined || typeof again === 'string') return again
  return asked && showResult(await callAsking(asked, again, signal))
}

/** A result that leaves a question about hosts open is shown as that question. */
async function callAsking(
  { approvals, hosts }: Asking,
  call: DirectCall,
  signal: AbortSignal,
): Promise<Output<'mcp.call'> | string> {
  hosts.begin(call)
  return hosts.ask(await approvals.call(call, signal))
}

function listServers({ servers, untrusted }: Output<'mcp.list'>): string {
  const lines = servers.map(({ server, scope, state, notices = [] }) => {
    const from = scope === 'project' ? ' (of this project)' : ''
    const reason = state.reason === undefined ? '' : ` (${state.reason})`
    const marks = notices.map(({ what }) => `\n  ! ${what}`).join('')
    return `${server}${from}: ${state.badge}, ${state.tools} tools${reason}${marks}`
  })
  if (lines.length === 0) lines.push('Nothing is connected yet. Try: connect notion')
  if (untrusted) lines.push(`${untrusted.files.length} more ${UNTRUSTED}`)
  return lines.join('\n')
}

const UNTRUSTED =
  'of this folder are not used: nobody has trusted them as they are now. In a shell, `cordon mcp trust` shows what they would run, and asks.'

async function showStatus(api: ChatApi): Promise<string> {
  const { version, vault, servers, page, auditDamage, unseen } = await api.call('status', {})
  return [
    `Cordon ${version}, ${servers} servers, vault ${vault.state}`,
    ...(page === null ? [] : [`page: ${page}`]),
    ...(auditDamage === null ? [] : [`The audit log: ${auditDamage}`]),
    ...unseen.map(({ what }) => `! ${what}`),
  ].join('\n')
}

async function askToRemove(api: ChatApi, name: string): Promise<string | undefined> {
  const found = await findServer(api, name)
  if (!found) return undefined
  const { keeps } = await api.call('mcp.show', { server: found.server })
  const also = keeps === undefined ? '' : `, and deletes what it keeps in ${keeps} for good`
  return `This removes ${found.name} and its stored credentials${also}. Type: yes, remove ${found.server}`
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
  const wanted = accountId(name)
  // The slug wins over the display name of another server.
  return (
    servers.find(({ server }) => server === wanted) ??
    servers.find(({ name: title }) => title.toLowerCase() === wanted)
  )
}

const WAITING = { approval: 'wait' } as const

interface Heard extends Here {
  readonly text: string
  /** The channel puts open questions by itself. Piped input could answer its own, so its call is refused instead. */
  readonly asking: { readonly approval?: 'wait' }
  readonly homeFolder: string
}

async function callByName(
  api: ChatApi,
  asked: Asking | undefined,
  { text, homeFolder, asking, ...here }: Heard,
  signal: AbortSignal,
): Promise<{ result: Output<'mcp.call'> | string; server?: string } | undefined> {
  const named = parseDirectCall(text)
  if (!named) return undefined
  const { servers } = await api.call('mcp.list', here)
  const known = servers.find(({ server }) => server === named.server)
  if (!known) return undefined
  const tools = await toolsOf(api, { server: named.server, ...here })
  const found = tools.find(({ name }) => name === named.tool)
  if (!found && tools.length > 0) return { result: noSuchTool(named, tools) }
  const { readPaths = [], writePaths = [] } = known
  const place = { homeFolder, folders: [...readPaths, ...writePaths] }
  const expand = (typed: string): string => expandHome(typed, place)
  const parsed = parseDirectCall(text, found?.inputSchema, expand) ?? named
  const call = { ...parsed, ...here, isKept: true }
  const { server } = named
  if (!asked) return { result: await api.call('mcp.call', { ...call, ...asking }, signal), server }
  asked.server = server // before the call: its question may be answered while it runs
  return { result: await callAsking(asked, call, signal), server }
}

function isLockedOut(result: Output<'mcp.call'> | string): boolean {
  return typeof result === 'object' && result.kind === 'failed' && result.code === 'vault.locked'
}

/** Empty for a server that never ran: its call starts it. */
async function toolsOf(
  api: ChatApi,
  here: Here & { readonly server: string },
): Promise<Output<'mcp.tools'>['tools']> {
  return (await api.call('mcp.tools', here).catch(() => ({ tools: [] }))).tools
}

function noSuchTool({ server, tool }: DirectCall, tools: Output<'mcp.tools'>['tools']): string {
  const names = tools.map(({ name }) => name)
  const [near] = closestNames(tool, names)
  const hint =
    near === undefined
      ? `It has: ${names.slice(0, 20).join(', ')}`
      : `Did you mean ${server}.${near}?`
  return `${server} has no tool ${JSON.stringify(tool)}. ${hint}`
}

const SAVED_BY = 'in a shell, `cordon mcp call … --out FILE` saves it'

function showResult(result: Output<'mcp.call'> | string): string {
  if (typeof result === 'string') return result
  if (result.kind === 'ok') return showAnswer(result, SAVED_BY)
  const hint =
    result.kind === 'failed' && result.hint !== undefined ? `. ${inChatWords(result.hint)}` : ''
  return `${result.kind}: ${result.reason}${hint}`
}
