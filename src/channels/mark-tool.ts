/**
 * The owner's word on tools, in a chat and without a model: `take the tools of notes as they say` shows what they claim,
 * and only `yes, take notes 1f0c55a2`, which names the list that was shown, takes it.
 */
import type { Api } from '../api/contract.ts'
import { isOffered, showMarked, showProposal } from '../api/show-proposal.ts'
import { SEMANTICS } from '../kernel/server-definition.ts'
import { splitTool } from '../kernel/tool-id.ts'
import type { ToolProposal } from '../kernel/tool-proposal.ts'

export type MarksApi = Api<'tools.proposal' | 'tools.mark'>

/** Finds a server by the name that a person typed; undefined if there is none. */
type Find = (name: string) => Promise<{ readonly server: string } | undefined>

const TAKE = /^the tools of (.+?)(?: as they (?:say|are))?$/i
const DIGITS = 8

/** `rest` is the message without its first word, `take`. Undefined if it is no such command. */
export async function showTools(
  api: MarksApi,
  find: Find,
  rest: string,
): Promise<string | undefined> {
  const found = await find(TAKE.exec(rest)?.[1] ?? '')
  return found && offerOf(await api.call('tools.proposal', { server: found.server }))
}

/** The claims of the tools, with the message that takes them. */
export function offerOf(proposal: ToolProposal): string {
  const { server, set } = proposal
  const how = isOffered(proposal)
    ? [`To take them so, type: yes, take ${server} ${set.slice(0, DIGITS)}`]
    : []
  return [...showProposal(proposal), ...how].join('\n')
}

const TAKEN = /^(.+) ([0-9a-f]{8,64})$/

/** `rest` is the message after `yes, take`. */
export async function takeTools(
  api: MarksApi,
  find: Find,
  rest: string,
): Promise<string | undefined> {
  const [, name = '', digits = ''] = TAKEN.exec(rest) ?? []
  const found = await find(name)
  if (!found) return undefined
  const { server } = found
  const proposal = await api.call('tools.proposal', { server })
  const { set } = proposal
  if (!set.startsWith(digits)) {
    return `The tools of ${server} are not those that were shown, so nothing was taken. Type: take the tools of ${server} as they say`
  }
  const now = await api.call('tools.mark', { server, set, change: { kind: 'as-said' } })
  return `${showMarked(proposal, now)} To change one, type: mark ${server}.TOOL read`
}

/** `notes.search read`: the message without its first word, `mark`. */
export async function markTool(
  api: MarksApi,
  find: Find,
  rest: string,
): Promise<string | undefined> {
  const [name = '', word = '', ...more] = rest.split(' ')
  const named = splitTool(name)
  const effect = SEMANTICS.find((one) => one === word.toLowerCase())
  const found = named && effect && more.length === 0 ? await find(named.server) : undefined
  if (!named || !effect || !found) return undefined
  const { server } = found
  const before = await api.call('tools.proposal', { server })
  const change = { kind: 'effect', effect, tools: [named.tool] } as const
  return showMarked(before, await api.call('tools.mark', { server, set: before.set, change }))
}
