/**
 * What the tools of one server claim to do, and the owner's word on it. Read only when the owner asks for it; every
 * answer names the list that is shown, so that a list which changed meanwhile is refused.
 * @import { ProposedTool, ToolProposal, MarkChange } from '../../kernel/tool-proposal.ts'
 * @import { Semantics } from '../../kernel/server-definition.ts'
 */
import { ask, Refused } from './ask.js'
import { count, el, prose } from './elements.js'

/** More are not drawn; the command line shows them all. */
const MOST_SHOWN = 300

/** @type {readonly [Semantics | '', string][]} */
const CHOICES = [
  ['', 'ask me each time'],
  ['read', 'only reads'],
  ['write', 'changes things'],
  ['destructive', 'cannot be undone'],
  ['exec', 'runs commands'],
]

/** @param {string} server */
export function marksSection(server) {
  const place = el('div', 'marks')
  const open = el('button', 'quiet', 'What its tools do')
  open.type = 'button'
  open.addEventListener('click', () => void show(place, () => ask('tools.proposal', { server })))
  place.append(open)
  return place
}

/** @param {HTMLElement} place @param {() => Promise<ToolProposal>} read */
async function show(place, read) {
  try {
    place.replaceChildren(form(place, await read()))
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    const problem = el('p', '', `${error.message}. `, prose(error.hint))
    problem.setAttribute('role', 'alert')
    place.querySelector('[role=alert]')?.remove()
    place.prepend(problem)
  }
}

/** @param {HTMLElement} place @param {ToolProposal} proposal */
function form(place, proposal) {
  const { server, set, summary, tools } = proposal
  /** @param {MarkChange} change */
  const mark = (change) => void show(place, () => ask('tools.mark', { server, set, change }))
  const take = el('button', '', 'Take them so')
  take.type = 'button'
  take.addEventListener('click', () => mark({ kind: 'as-said' }))
  const isOffered = tools.some(({ by, doubt, isWaiting }) => {
    return by === 'unsaid' && doubt === undefined && !isWaiting
  })
  const rest = tools.length - MOST_SHOWN
  return el(
    'div',
    '',
    el('p', '', summary === undefined ? 'Somebody has spoken for every tool.' : `${summary}.`),
    isOffered && take,
    el('ul', 'tools', ...tools.slice(0, MOST_SHOWN).map((tool) => toolItem(tool, mark))),
    rest > 0 && prose(`And ${count(rest, 'more tool')}: \`cordon tools mark ${server} --list\``),
  )
}

/** @param {ProposedTool} tool @param {(change: MarkChange) => void} mark */
function toolItem(tool, mark) {
  const { name, by, doubt, because, says, isWaiting } = tool
  const why = by === 'unsaid' ? `${says}? ${doubt ?? because}` : SAYERS[by]
  const isFixed = by === 'sandbox' || isWaiting
  return el(
    'li',
    doubt === undefined ? '' : 'doubtful',
    el('label', '', el('code', '', name), ' ', isFixed ? '' : choice(tool, mark)),
    el('span', 'muted', isWaiting ? 'waits to be accepted' : why),
  )
}

/** @type {Readonly<Record<Exclude<ProposedTool['by'], 'unsaid'>, string>>} */
const SAYERS = {
  definition: 'its definition says so',
  sandbox: 'its sandbox proves it',
  mark: 'you said so',
}

/** @type {Readonly<Record<ProposedTool['effect'], Semantics>>} */
const SEMANTICS = {
  'local-read': 'read',
  'remote-read': 'read',
  write: 'write',
  destructive: 'destructive',
  exec: 'exec',
}

/** @param {ProposedTool} tool @param {(change: MarkChange) => void} mark */
function choice({ name, by, effect }, mark) {
  const select = el('select', '')
  for (const [value, text] of CHOICES) {
    if (value === '' && by === 'definition') continue // its word is taken back in the definition
    const option = el('option', '', text)
    option.value = value
    select.append(option)
  }
  select.value = by === 'unsaid' ? '' : SEMANTICS[effect]
  select.addEventListener('change', () => {
    const semantics = CHOICES.find(([value]) => value === select.value)?.[0]
    const tools = [name]
    mark(semantics ? { kind: 'effect', effect: semantics, tools } : { kind: 'clear', tools })
  })
  return select
}
