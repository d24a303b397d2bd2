/**
 * Finds values of a model's plan that the owner did not type. Once a conversation has shown words of others to a model, a
 * value that the owner never typed may be theirs, although the planner's prompt holds none of them: a change with such a
 * value is asked about, and so is a read that would carry it to an address or to a server with an open network. Pure.
 */
import { isRead } from '../kernel/effect.ts'
import type { FlowForecast } from '../ports/flow-port.ts'
import type { Plan, PlannedStep, PlannedValue } from './plan-port.ts'
import { namesHost } from '../text/host-name.ts'
import type { Json } from '../text/json.ts'
import { isOwn } from './built-in-cards.ts'
import { nodeOf } from './plan-flow.ts'

export interface UntypedValues {
  /** A step that changes something holds such a value. */
  readonly inChange: boolean
  /** The nodes that read over a network and whose target holds one. */
  readonly reads: readonly string[]
}

export function untypedValues(
  { steps }: Plan,
  forecasts: readonly FlowForecast[],
  typed: readonly string[],
): UntypedValues {
  const said = typed.map(folded)
  const words = new Set(said.flatMap(wordsIn))
  const found = { inChange: false, reads: [] as string[] }
  for (const [at, step] of steps.entries()) {
    const node = nodeOf(at)
    const forecast = forecasts.find((one) => one.node === node)
    if (!forecast || !isRead(forecast.effect)) {
      found.inChange ||= literalsIn(step).some(({ value }) => !isTyped(value, said))
    } else if (isUntypedRead(step, forecast, { said, words })) found.reads.push(node)
  }
  return found
}

interface Typed {
  /** The owner's messages, folded. */
  readonly said: readonly string[]
  /** Every word of them. */
  readonly words: ReadonlySet<string>
}

/** The models that Cordon asks are no way out: a plan gives them nothing that they could not say anyway. */
function isUntypedRead(step: PlannedStep, forecast: FlowForecast, typed: Typed): boolean {
  const { effect, isOpen, args } = forecast
  if (effect !== 'remote-read' || isOwn(step.tool)) return false
  return literalsIn(step).some(({ name, value }) => {
    const role = args.find((one) => one.name === name)?.role ?? 'target'
    if (role === 'locator') return !isTypedAddress(String(value), typed.said)
    if (typeof value === 'string' && hasUntypedAddress(value, typed.said)) return true
    return isOpen === true && role !== 'content' && !isMadeOf(value, typed.words)
  })
}

/** Texts and numbers of the plan itself, also inside lists and objects; results and pasted texts have labels instead. */
function literalsIn({ args }: PlannedStep): readonly Literal[] {
  return Object.entries(args).flatMap(([name, value]) =>
    scalarsOf(value).map((one) => ({ name, value: one })),
  )
}

interface Literal {
  readonly name: string
  readonly value: string | number
}

function scalarsOf(value: PlannedValue): readonly (string | number)[] {
  if (value.kind === 'literal') return scalarsIn(value.value)
  if (value.kind === 'list') return value.items.flatMap(scalarsOf)
  return value.kind === 'object' ? Object.values(value.members).flatMap(scalarsOf) : []
}

function scalarsIn(value: Json): readonly (string | number)[] {
  if (typeof value === 'string' || typeof value === 'number') return [value]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap((member: Json) => scalarsIn(member))
}

/** It stands in the words as whole words. */
function isTyped(value: string | number, said: readonly string[]): boolean {
  const wanted = folded(String(value))
  return said.some((words) => holds(words, wanted, isWholeWord))
}

const LARGEST_COUNT = 999

/** Words of the owner in another order are no news to anybody, and a count names nobody. */
function isMadeOf(value: string | number, words: ReadonlySet<string>): boolean {
  if (Number.isInteger(value) && Math.abs(Number(value)) <= LARGEST_COUNT) return true
  return wordsIn(folded(String(value))).every((word) => words.has(word))
}

function wordsIn(text: string): readonly string[] {
  return text.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '')
}

/** An e-mail address looks somebody up and leads nowhere, so it is none here. */
function hasUntypedAddress(text: string, said: readonly string[]): boolean {
  return text
    .split(/[\s<>"'(),;]+/)
    .filter((part) => !/^[^@/\\?#]{1,64}@[^@/\\?#:]+$/.test(part) && namesHost(part))
    .some((part) => !isTypedAddress(part.replace(/^[a-z]{1,12}:(?![\\/])/i, ''), said))
}

/** As the owner typed it, with or without the scheme, `www` and the last slash. */
function isTypedAddress(address: string, said: readonly string[]): boolean {
  const wanted = folded(address)
    .replace(/^https?:\/\//, '')
    .replace(/^www\./, '')
    .replace(/\/$/, '')
  return wanted === '' || said.some((words) => holds(words, wanted, isWholeAddress))
}

type IsWhole = (before: string, after: string) => boolean

function holds(words: string, wanted: string, isWhole: IsWhole): boolean {
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    if (isWhole(words.slice(0, at), words.slice(at + wanted.length))) return true
  }
  return false
}

function isWholeWord(before: string, after: string): boolean {
  return !/[\p{L}\p{N}]$/u.test(before) && !/^[\p{L}\p{N}]/u.test(after)
}

/** Not the end or the beginning of another host: `bank.com` is in neither `my-bank.com` nor `bank.com.evil.io`. */
function isWholeAddress(before: string, after: string): boolean {
  if (/\bwww\.$/.test(before)) return isWholeAddress(before.slice(0, -4), after)
  return !/[\p{L}\p{N}_.@-]$/u.test(before) && !/^[.:@]?[\p{L}\p{N}_-]/u.test(after)
}

function folded(text: string): string {
  return text.normalize('NFC').toLowerCase().replace(/\s+/g, ' ').trim()
}
