/**
 * Fills the arguments of one tool from one clause: typed values and values behind their nouns first, the rest of the
 * sentence last. A required argument without a value is reported, never made up. Pure.
 */
import type { PlannedValue } from '../plan-port.ts'
import type { Json } from '../../text/json.ts'
import { ClauseReader, type ReadingContext } from './clause-reader.ts'
import { findValue } from './find-value.ts'
import type { Clause } from './read-clause.ts'
import type { ArgumentTemplate, ToolTemplate } from './tool-template.ts'

export interface Filled {
  readonly args: Readonly<Record<string, PlannedValue>>
  /** Required, and the clause holds no value for them. */
  readonly missing: readonly ArgumentTemplate[]
  /** Values of the clause that no argument took. */
  readonly unused: number
}

export interface FillContext extends ReadingContext {
  /** Values that the owner gave in answer to questions. */
  readonly given: Readonly<Record<string, PlannedValue>>
}

/** Optional arguments are filled only from values that can mean nothing else. */
const SURE = new Set(['url', 'email', 'sql', 'pattern', 'date', 'id', 'number'])
const SEARCHES = new Set(['search', 'find', 'query', 'lookup'])

export function fillArguments(
  template: ToolTemplate,
  clause: Clause,
  context: FillContext,
): Filled {
  const reader = new ClauseReader(clause, template, context)
  const args = new Map<string, PlannedValue>(Object.entries(context.given))
  const required = template.args.filter(({ arg }) => arg.isRequired)
  const optional = template.args.filter(({ arg }) => !arg.isRequired)
  takePairs(reader, args)
  takeHandles(reader, required, args)
  for (const arg of required) take(args, arg, () => findValue(reader, arg, 'anchored'))
  for (const arg of optional.filter(isSure(template)))
    take(args, arg, () => findValue(reader, arg, 'anchored'))
  passOn(reader, required, args)
  for (const arg of byLooseness(required)) take(args, arg, () => findValue(reader, arg, 'loose'))
  const query = optional.find(({ kind }) => kind === 'query')
  if (query && SEARCHES.has(template.verbs[0] ?? ''))
    take(args, query, () => findValue(reader, query, 'loose'))
  return {
    args: Object.fromEntries(args),
    missing: required.filter(({ arg }) => !args.has(arg.name)),
    unused: clause.values.filter((value) => reader.isFree(value)).length,
  }
}

function isSure({ args }: ToolTemplate): (arg: ArgumentTemplate) => boolean {
  const isOnly = (kind: string): boolean => args.filter((one) => one.kind === kind).length === 1
  return ({ arg, kind, hints }) => {
    if (kind === 'number') return true
    if (kind === 'id') return hints.length > 0 && !hints.includes('id')
    return arg.choices === undefined && SURE.has(kind) && (kind === 'date' || isOnly(kind))
  }
}

function take(
  args: Map<string, PlannedValue>,
  { arg, isList }: ArgumentTemplate,
  find: () => Json | undefined,
): void {
  if (args.has(arg.name)) return
  const value = find()
  if (value === undefined || value === '') return
  const isBare = typeof value === 'string' && isList && !arg.type.split('|').includes('string')
  args.set(arg.name, { kind: 'literal', value: isBare ? [value] : value })
}

function takePairs(reader: ClauseReader, args: Map<string, PlannedValue>): void {
  for (const pair of reader.all('pair')) {
    const found = reader.template.args.find(({ arg }) => arg.name === pair.key)
    if (!found || args.has(found.arg.name)) continue
    args.set(found.arg.name, { kind: 'literal', value: typed(reader.use(pair).text, found) })
  }
}

function typed(text: string, { arg, kind, isList }: ArgumentTemplate): Json {
  if (kind === 'number' && text.trim() !== '' && !Number.isNaN(Number(text))) return Number(text)
  if (kind === 'flag') return /^(?:true|yes|on|1)$/i.test(text)
  return isList && !arg.type.split('|').includes('string') ? [text] : text
}

const CARRIES = ['text', 'query', 'title', 'id', 'path', 'url'] as const

/** A handle that is named goes where content goes first. */
function takeHandles(
  reader: ClauseReader,
  required: readonly ArgumentTemplate[],
  args: Map<string, PlannedValue>,
): void {
  for (const handle of reader.all('handle')) {
    const free = required.filter(({ arg }) => !args.has(arg.name))
    const goal = CARRIES.flatMap((kind) => free.find((one) => one.kind === kind) ?? [])[0]
    if (goal) args.set(goal.arg.name, { kind: 'handle', name: reader.use(handle).text })
  }
}

/** `it` is the content of the call; without a word for it only where nothing else is said. */
function passOn(
  reader: ClauseReader,
  required: readonly ArgumentTemplate[],
  args: Map<string, PlannedValue>,
): void {
  const { referent } = reader.context
  if (!referent) return
  const free = required.filter(({ arg }) => !args.has(arg.name))
  const text = free.find(({ kind }) => kind === 'text') ?? free.find(({ kind }) => kind === 'query')
  const isStep = referent.kind === 'step'
  const isMeant = reader.saysIt() || (isStep && text?.kind === 'text' && !reader.next('quoted'))
  if (text && isMeant) args.set(text.arg.name, referent)
}

const LAST = ['number', 'id', 'title', 'path', 'pattern', 'sql', 'place', 'text', 'query']

/** The rest of the sentence goes to the loosest kind, after all others took their part. */
function byLooseness(args: readonly ArgumentTemplate[]): readonly ArgumentTemplate[] {
  return [...args].sort((a, b) => LAST.indexOf(a.kind) - LAST.indexOf(b.kind))
}
