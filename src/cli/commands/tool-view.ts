/** Tools as text for a terminal. Their names and suspicious parts are untrusted, and printed as such. */
import type { ShownTool } from '../../api/tools.ts'
import { showTool } from '../../kernel/tool-id.ts'
import type { Blocked } from '../../kernel/tool-facts.ts'
import type { ToolFlag, ToolListing } from '../../ports/tool-view.ts'
import { columns, cut, printableLine } from '../output.ts'

const STATES: Readonly<Record<Blocked, string>> = {
  unknown: 'not there',
  quarantined: 'changed, not accepted',
  held: 'quarantined by you',
  collides: 'looks like another, not accepted',
  disabled: 'switched off',
}

const FLAGS: Readonly<Record<ToolFlag['kind'], string>> = {
  instruction: 'gives orders to a model',
  'other-tool': "speaks of another server's tool",
  path: 'names a place where keys lie',
  markup: 'holds markup that people do not see',
  hidden: 'holds characters that cannot be seen',
  encoded: 'holds encoded text',
  'same-name': 'has the name of a tool of',
}

export function describeListing(
  tools: readonly ToolListing[],
  isSearch: boolean,
): readonly string[] {
  if (tools.length === 0) return [isSearch ? 'No tool fits these words.' : NONE]
  return columns(
    tools.map(({ card, blocked }) => [
      printableLine(showTool(card.id)),
      card.effect,
      blocked ? STATES[blocked] : '',
      cut(card.summary, 80),
    ]),
  )
}

const NONE = 'No tools are known yet. Start a server with `cordon mcp start SERVER`.'

export function describeTool(view: ShownTool): readonly string[] {
  const {
    card,
    because,
    blocked,
    lookAlike,
    fields,
    learned,
    isVouchedFor,
    flags,
    hash,
    described,
  } = view
  const words = isVouchedFor ? 'its words are vouched for' : 'nobody vouches for its words'
  return [
    `${printableLine(showTool(card.id))}: ${printableLine(card.summary)}`,
    `Effect: ${card.effect}, since ${because}`,
    `State: ${blocked ? STATES[blocked] : 'can be called'}; ${words}`,
    ...(lookAlike === undefined ? [] : [`Looks like: ${printableLine(lookAlike)}`]),
    `Pin: ${hash}`,
    ...argumentLines(view),
    ...fields.map((field) => `Answer: ${field} is its service's own`),
    ...learned.map((field) => `Answer: ${field} is an id that it takes back, by its schema`),
    ...(described === undefined ? [] : [`In its server's words: ${printableLine(described)}`]),
    ...flags.map(describeFlag),
  ]
}

/** Includes the arguments that are not on the tool's card: the owner sees all of them. */
function argumentLines({ card, roles }: ShownTool): readonly string[] {
  const known = new Map(card.args.map((arg) => [arg.name, arg]))
  const rows = roles.map(({ name, role, source }) => {
    const { type = '', isRequired = false } = known.get(name) ?? {}
    const needed = isRequired ? 'required' : ''
    return [`  ${printableLine(name)}`, type, needed, role, SOURCES[source]]
  })
  return rows.length === 0 ? ['Arguments: none'] : ['Arguments:', ...columns(rows)]
}

const SOURCES: Readonly<Record<ShownTool['roles'][number]['source'], string>> = {
  catalog: 'says the catalog',
  owner: 'say you',
  schema: 'by its name and type',
  unknown: 'since nothing tells',
}

export function describeFlag({ kind, where, found }: ToolFlag): string {
  return printableLine(`! ${where} ${FLAGS[kind]}: ${found}`)
}
