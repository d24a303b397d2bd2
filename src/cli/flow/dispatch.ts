/**
 * A flow typed without `run`: `cordon 'a >> b'`, `cordon a --k v then b`. Commands of Cordon come first, so only other
 * words get here. A flag belongs to the node if the node has it, otherwise to `run`.
 */
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowNodeView } from '../../ports/flow-port.ts'
import type { OpenApi } from '../../api/client.ts'
import type { Surface } from '../context.ts'
import { expandHome, holdsHomePath } from '../../text/expand-home.ts'
import { readHomePlace } from '../read-home-place.ts'

export type Dispatch =
  /** Not a flow, or not known to be one: the command line reports the error. */
  | { readonly kind: 'command'; readonly hint?: string }
  | { readonly kind: 'flow'; readonly args: readonly string[] }

const JOINS: ReadonlySet<string> = new Set(['>>', '|>', 'then'])
const OWN_FLAGS: ReadonlySet<string> = new Set([
  '--json',
  '--no-daemon',
  '--yes',
  '-y',
  '--wait',
  '--no-cache',
  '--trust-pure',
  '--trust-readonly',
  '--dry-run',
])

/** `first` is the index of the first word that is not an option. */
export async function dispatchFlow(
  surface: Surface,
  args: readonly string[],
  first: number,
): Promise<Dispatch> {
  const word = args[first] ?? ''
  const before = args.slice(0, first)
  const words = args.slice(first)
  // One quoted text is the whole flow, or a sentence: the words after it are options.
  if (/[\s>|]/.test(word)) {
    if (await isSentence(surface, word)) {
      return { kind: 'flow', args: ['ask', ...before, ...words.slice(1), '--', word] }
    }
    return { kind: 'flow', args: ['run', ...before, ...words.slice(1), '--', word] }
  }
  await using api = await kernelFor(surface, word, before)
  if (!api) return { kind: 'command' }
  const found = await findNode(api, word)
  if ('hint' in found) return { kind: 'command', hint: await hintFor(api, word, found.hint) }
  const typed = isAlone(words) ? await asFlags(surface, api, { node: found, words }) : words
  const { own, rest } = await splitFlags(api, typed)
  return { kind: 'flow', args: ['run', ...before, ...own, '--', ...rest] }
}

/** Plain words without a sign of a flow, of which the first is no node. A node of a server has a sign in its name. */
async function isSentence(surface: Surface, text: string): Promise<boolean> {
  const words = text.trim().split(/\s+/)
  const [first = ''] = words
  const hasSigns = words.some((word) => JOINS.has(word) || word.startsWith('--'))
  if (hasSigns || /[>|]/.test(text) || /[-_./@]/.test(first)) return false
  return words.length > 2 && !(await surface.isBuiltInNode(first))
}

function isAlone(words: readonly string[]): boolean {
  return !words.some((word) => JOINS.has(word))
}

/** A tool that is called alone takes `name=value` too, and `~/` at the start of a value, as `mcp call` does. */
async function asFlags(
  surface: Surface,
  api: Api,
  { node, words }: { readonly node: FlowNodeView; readonly words: readonly string[] },
): Promise<readonly string[]> {
  const { server } = node
  if (server === undefined || server.startsWith('~')) return words
  const flags = words.map((word) => (/^[\p{L}_][\w.-]*=/u.test(word) ? `--${word}` : word))
  if (!holdsHomePath(flags)) return flags
  const place = await readHomePlace(surface, api, server)
  return flags.map((word) => {
    const [, flag = '', value = ''] = /^(--[^=]+=|)([^]*)$/.exec(word) ?? []
    return flag + expandHome(value, place)
  })
}

/** Starts a kernel only for a word that can be a node: built in, or with a sign, which no command has. */
async function kernelFor(
  surface: Surface,
  word: string,
  before: readonly string[],
): Promise<OpenApi | undefined> {
  const isWorthIt = /[-_./@]/.test(word) || (await surface.isBuiltInNode(word))
  if (before.includes('--no-daemon')) {
    return isWorthIt ? await surface.openKernel({ page: false }) : undefined
  }
  const running = await surface.findKernel()
  return running ?? (isWorthIt ? await surface.startKernel() : undefined)
}

async function findNode(api: Api, name: string): Promise<FlowNodeView | { readonly hint: string }> {
  try {
    return await api.call('flows.node', { name: name.replace(/@.*/, '') })
  } catch (error) {
    if (error instanceof CordonError && error.exit === 2) return { hint: error.hint }
    throw error
  }
}

/** The tools of a server that never ran are not known, which explains more than a similar name. */
async function hintFor(api: Api, word: string, hint: string): Promise<string> {
  const { servers } = await api.call('mcp.list', {})
  const silent = servers.find(
    ({ server, state }) => state.tools === 0 && word.replace(/^mcp[-_]/, '').startsWith(server),
  )
  if (!silent) return hint
  return `Run \`cordon mcp start ${silent.server}\`: its tools are not known yet`
}

async function splitFlags(api: Api, words: readonly string[]) {
  const end = words.indexOf('--')
  const typed = end < 0 ? words : words.slice(0, end)
  const after = end < 0 ? [] : words.slice(end + 1)
  if (!typed.some((word) => OWN_FLAGS.has(word))) return { own: [], rest: [...typed, ...after] }
  const taken = await flagsOf(api, typed)
  const isOwn = (word: string) => OWN_FLAGS.has(word) && !taken.has(word)
  return {
    own: typed.filter(isOwn),
    rest: [...typed.filter((word) => !isOwn(word)), ...after],
  }
}

/** Every flag of a node in this flow. */
async function flagsOf(api: Api, words: readonly string[]): Promise<ReadonlySet<string>> {
  const names = words.filter((_word, at) => at === 0 || JOINS.has(words[at - 1] ?? ''))
  const nodes = await Promise.all(names.map((name) => findNode(api, name)))
  const keys = nodes.flatMap((node) => ('hint' in node ? [] : keysOf(node)))
  return new Set(keys.map((key) => `--${key.replaceAll('_', '-')}`))
}

function keysOf({ inputs, params }: FlowNodeView): readonly string[] {
  return [...inputs, ...params].map(({ name }) => name)
}
