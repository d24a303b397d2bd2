/** From the words of a request, and the answers so far, to a plan, a question, or the reason why there is none. */
import type { Handle, Planned, PlannedStep, PlannedValue, PlanRequest } from '../plan-port.ts'
import type { ToolId } from '../../kernel/tool-id.ts'
import type { ToolCard } from '../../ports/tool-view.ts'
import { askQuestion } from './ask-question.ts'
import { type Candidate, candidatesFor, chosenOf, idsOf } from './candidates.ts'
import { isEnglish } from './is-english.ts'
import { type Mood, moodOf } from './mood-of.ts'
import type { OpenQuestion, PlanDraft } from './plan-draft.ts'
import { type Head, readClause } from './read-clause.ts'
import { readTokens } from './read-tokens.ts'
import { serviceWordsOf } from './service-words.ts'
import { splitClauses } from './split-clauses.ts'
import { stemWord } from './stem-word.ts'
import type { TemplateIndex } from './template-index.ts'

export interface PlanningDeps {
  readonly index: TemplateIndex
  readonly search: (words: string, most: number) => Promise<readonly ToolCard[]>
  /** The folders that the owner gave a server. */
  readonly foldersOf?: (server: string) => Promise<readonly string[]>
}

export type SoFar = Partial<Pick<PlanDraft, 'picks' | 'given' | 'isMeant'>>

const NEAR = 3
/** A tool that shares no word with the sentence scores up to 1. */
const LEAST_NEAR = 1.1
const SEARCHED = 10

/** The mood, the steps and their candidates that a request shows, before anything is decided. */
export interface Sight {
  readonly mood: Mood
  readonly steps: readonly SeenStep[]
}

interface SeenStep {
  readonly candidates: readonly Candidate[]
  /** Several: they are equally likely. */
  readonly chosen: readonly Candidate[]
  readonly head: Head['kind']
}

export function unable(reason: string, near: readonly ToolId[]): Planned {
  return { kind: 'unable', reason, near }
}

export async function planWords(
  deps: PlanningDeps,
  request: PlanRequest,
  soFar: SoFar,
): Promise<Planned> {
  if (!isEnglish(request.words)) return unable('Without a model I understand English only.', [])
  const sight = await sightOf(deps, request, soFar)
  const near = idsOf(nearOf(sight), NEAR)
  const refusal = refusalOf(request.words, sight)
  if (refusal === NO_PLAN && isUndeletable(deps.index, request.words)) return unable(NO_DELETE, [])
  if (refusal !== undefined) return unable(refusal, near)
  const open = openQuestion(sight, soFar)
  if (!open) return { kind: 'plan', plan: { steps: sight.steps.map(stepOf) } }
  const chosen = chosenFor(sight, open)
  const given = await givenFolder(deps, soFar, open, chosen[0])
  if (given) return await planWords(deps, request, { ...soFar, given })
  const draft = { words: request.words, picks: [], given: [], isMeant: false, ...soFar, open }
  return askQuestion(draft, chosen)
}

function chosenFor({ steps }: Sight, open: OpenQuestion): readonly Candidate[] {
  return steps[open.kind === 'confirm' ? 0 : open.clause]?.chosen ?? []
}

export async function sightOf(
  deps: PlanningDeps,
  request: PlanRequest,
  soFar: SoFar,
): Promise<Sight> {
  const { mood, words, service } = moodOf(asSentence(request.words), readTokens)
  const parts = splitClauses(words, readTokens(words))
  const see = async (clauses: readonly string[]): Promise<readonly SeenStep[]> => {
    const steps: SeenStep[] = []
    for (const [at, text] of clauses.entries()) {
      // A sentence that does not begin with a command is none: `would you ever read it and post it`.
      const isCommand = steps[0] === undefined || steps[0].head === 'verb'
      const mayWrite = isCommand && (mood === 'request' || mood === 'ability')
      steps.push(await seeStep(deps, request, { at, text, soFar, mayWrite, service }))
    }
    return steps
  }
  const steps = await see(parts)
  const isWhole = parts.length === 1 || steps.every(({ chosen }) => chosen.length > 0)
  if (isWhole) return { mood, steps }
  // `search for salt and make recipes` has two verbs and is one step.
  const one = await see([words])
  return { mood, steps: one[0]?.chosen.length ? one : steps }
}

/** Of a sentence without a verb that any tool has, only tools that share a word with it. */
function nearOf({ steps: [first] }: Sight): readonly Candidate[] {
  if (!first || first.head === 'verb') return first?.candidates ?? []
  return first.candidates.filter(({ score }) => score > LEAST_NEAR)
}

const OWNED = /^\s*(?:what|which)\s+(files|folders|documents)\s+do\s+(?:i|we)\s+have\b/i

/** A bare statement of SQL is a request to run it; `what files do I have` is one to list them. */
function asSentence(words: string): string {
  if (OWNED.test(words)) return words.replace(OWNED, 'list my $1').replace(/\?\s*$/, '')
  if (/^\s*(?:select\s.+\sfrom\s|with\s\w+\sas\s*\()/i.test(words)) return `query ${words}`
  const isChange = /^\s*(?:insert\s+into|update\s+\S+\s+set|delete\s+from)\s/i.test(words)
  return isChange ? `execute ${words}` : words
}

interface Part {
  readonly at: number
  readonly text: string
  readonly soFar: SoFar
  readonly mayWrite: boolean
  readonly service: string | undefined
}

async function seeStep(deps: PlanningDeps, request: PlanRequest, part: Part): Promise<SeenStep> {
  const { at, text, soFar, mayWrite, service } = part
  const clause = readClause(text, request)
  const found = await deps.search(text, SEARCHED)
  const searched = found.map(({ id }) => `${id.server}.${id.name}`)
  const referent = referentOf(at, request.handles)
  const named = serviceWordsOf(clause, deps.index, service)
  const candidates = candidatesFor(
    deps.index,
    { clause, mayWrite, searched, service: named },
    {
      timezone: request.timezone,
      given: soFar.given?.[at] ?? {},
      service: named.tokens,
      ...(referent && { referent }),
    },
  )
  const pick = soFar.picks?.[at]
  const picked = pick && candidates.filter(({ template }) => isSame(template.card.id, pick))
  return {
    candidates,
    chosen: picked ?? chosenOf(candidates, named.servers.size > 0),
    head: clause.head.kind,
  }
}

function isSame(a: ToolId, b: ToolId): boolean {
  return a.server === b.server && a.name === b.name
}

/** `it` is the result of the step before; in a first step the newest handle. */
function referentOf(at: number, handles: readonly Handle[]): PlannedValue | undefined {
  if (at > 0) return { kind: 'step', step: at - 1 }
  const newest = handles.at(-1)
  return newest && { kind: 'handle', name: newest.name }
}

const OF_FOLDERS = new Set(['directori', 'directory', 'folder', 'tree', 'list', 'search', 'find'])

/** `list my files`: which folder is no question where the owner gave the server a single one. For reads of folders only. */
async function givenFolder(
  { foldersOf }: PlanningDeps,
  soFar: SoFar,
  open: OpenQuestion,
  best: Candidate | undefined,
): Promise<PlanDraft['given'] | undefined> {
  if (open.kind !== 'value' || !foldersOf || !best || !looksIntoFolder(best)) return undefined
  const [value, ...others] = await foldersOf(best.template.card.id.server)
  const isOnly = value !== undefined && others.length === 0
  return isOnly ? withGiven(soFar, open, { kind: 'literal', value }) : undefined
}

function looksIntoFolder({ template, filled }: Candidate): boolean {
  const { isReading, verbs, nouns } = template
  const isOfFolders = [...verbs, ...nouns].some((word) => OF_FOLDERS.has(word))
  return isReading && isOfFolders && filled.missing[0]?.kind === 'path'
}

/** The values so far, and this one. */
export function withGiven(
  { given = [] }: SoFar,
  { clause, arg }: Extract<OpenQuestion, { readonly kind: 'value' }>,
  value: PlannedValue,
): PlanDraft['given'] {
  return Array.from({ length: Math.max(given.length, clause + 1) }, (_, at) => {
    const before = given[at] ?? {}
    return at === clause ? { ...before, [arg]: value } : before
  })
}

const FORBIDS =
  /^(?:please |no,? |stop,? |hey,? )*(?:do not|don['’]?t|never|avoid|refrain|under no|let['’]?s not|you (?:should|must)(?:n['’]t| not))\b/i

function refusalOf(words: string, { mood, steps }: Sight): string | undefined {
  const always = REFUSED[mood]
  if (always !== undefined) return always
  const isForbidding = steps[0]?.head === 'none' || FORBIDS.test(words.trim())
  if (mood === 'negated' && isForbidding) return 'You said not to, so nothing is planned.'
  const isPlanned = steps.length > 0 && steps.every(({ chosen }) => chosen.length > 0)
  return isPlanned ? undefined : UNPLANNED[mood]
}

const NO_ANSWER =
  'I can’t answer that without a model. If something should be done, say it as a request.'
const NO_PLAN = 'I can’t plan that without a model.'

const NO_DELETE = 'Nothing that is connected can delete anything, so nothing was deleted.'
const DELETES = /^(?:please )?(?:delete|erase|wipe|trash|remove|purge)\b/i
const DELETING = new Set(
  ['delete', 'remove', 'erase', 'trash', 'purge', 'wipe', 'drop'].map(stemWord),
)

function isUndeletable({ templates }: TemplateIndex, words: string): boolean {
  const can = ({ verbs }: TemplateIndex['templates'][number]): boolean =>
    verbs.some((verb) => DELETING.has(verb))
  return DELETES.test(words.trim()) && !templates.some(can)
}

const REFUSED: Readonly<Partial<Record<Mood, string>>> = {
  condition: 'I can’t plan conditions or repetitions (“if”, “when”, “every”) without a model.',
  advice: NO_ANSWER,
  statement: NO_ANSWER,
}

const UNPLANNED: Readonly<Record<Mood, string>> = {
  request: NO_PLAN,
  ability: NO_PLAN,
  condition: NO_PLAN,
  question: NO_ANSWER,
  advice: NO_ANSWER,
  statement: NO_ANSWER,
  negated:
    'I read a “not” in that, so I plan nothing that changes data. Put a text that is to be sent in quotes.',
}

function doesWrite(steps: readonly SeenStep[]): boolean {
  return steps.some(({ chosen }) => chosen[0]?.template.isReading === false)
}

/** Asks one question at a time: first for the tool of a step, then for its missing values. */
function openQuestion({ mood, steps }: Sight, { isMeant }: SoFar): OpenQuestion | undefined {
  for (const [clause, { chosen }] of steps.entries()) {
    const [best] = chosen
    if (chosen.length > 1) return { kind: 'choose', clause, options: idsOf(chosen, chosen.length) }
    const [missing] = best?.filled.missing ?? []
    if (missing) return { kind: 'value', clause, arg: missing.arg.name }
  }
  const isUnsure = mood === 'ability' && isMeant !== true && doesWrite(steps)
  return isUnsure ? { kind: 'confirm' } : undefined
}

function stepOf({ chosen }: SeenStep): PlannedStep {
  const best = chosen[0] as Candidate
  return { tool: best.template.card.id, args: best.filled.args }
}
