/** Shell completion for a half-typed flow: node names, their flags, the values of a flag. Pure. */
import { type Describe, findTarget, flagNames, type NodeShape, typeOf } from './node-shape.ts'
import { printWord } from './print-flow.ts'
import { Refusal } from './problem.ts'
import { isBare, isFlag, type Token, tokensOf, type Word } from './tokens.ts'

export interface KnownNodes {
  readonly names: readonly string[]
  readonly describe: Describe
}

/** `line` ends at the cursor. Each candidate replaces the word that is being typed. */
export function completeFlow(line: string, known: KnownNodes): readonly string[] {
  const split = splitLine(line)
  if (split === undefined) return []
  const { before, typed } = split
  const step = stepBefore(before)
  if (step === undefined) return startingWith(typed, known.names)
  const shape = known.describe(step.name)
  if (shape === undefined) return []
  return valuesFor(step, typed, shape) ?? flagsFor(step, typed, shape)
}

interface Split {
  readonly before: readonly Token[]
  readonly typed: string
}

/** Undefined inside a quote and for text that cannot be parsed: nothing is offered there. */
function splitLine(line: string): Split | undefined {
  try {
    const tokens = tokensOf(line)
    const last = tokens.at(-1)
    if (last?.kind !== 'word' || last.end < line.length) return { before: tokens, typed: '' }
    return { before: tokens.slice(0, -1), typed: last.text }
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return undefined
  }
}

interface StepSoFar {
  readonly name: string
  readonly words: readonly Word[]
}

/** The step at the cursor; undefined if a node name is expected next. */
function stepBefore(tokens: readonly Token[]): StepSoFar | undefined {
  const start = tokens.findLastIndex((token) => token.kind !== 'word') + 1
  const words = tokens.slice(start).filter((token) => token.kind === 'word')
  const [first, server, tool] = words
  if (!first) return undefined
  if (!isBare(first, 'mcp')) return { name: first.text.replace(/@.*/, ''), words }
  return server && tool ? { name: `mcp-${server.text}-${tool.text}`, words } : { name: '', words }
}

/** Undefined if the word being typed is not a flag's value. */
function valuesFor(
  { words }: StepSoFar,
  typed: string,
  shape: NodeShape,
): readonly string[] | undefined {
  const [, inline, begun = ''] = /^--([^=]+)=(.*)$/s.exec(typed) ?? []
  if (inline !== undefined) return choices(shape, inline, begun, `--${inline}=`)
  const last = words.at(-1)
  if (!last || !isFlag(last) || last.text.includes('=') || typed.startsWith('-')) return undefined
  const flag = last.text.slice(2)
  return findTarget(shape, flag)?.negated ? undefined : choices(shape, flag, typed, '')
}

function choices(shape: NodeShape, flag: string, begun: string, prefix: string): readonly string[] {
  const key = findTarget(shape, flag)?.key
  if (key === undefined) return []
  const listed = Object.hasOwn(shape.choices ?? {}, key) ? shape.choices?.[key] : undefined
  const values = listed ?? (typeOf(shape, key) === 'boolean' ? ['true', 'false'] : [])
  return values.filter((value) => value.startsWith(begun)).map((value) => prefix + printWord(value))
}

function flagsFor({ words }: StepSoFar, typed: string, shape: NodeShape): readonly string[] {
  const used = new Set(words.filter(isFlag).map(({ text }) => keyOf(shape, text)))
  const free = flagNames(shape).filter((name) => {
    const key = findTarget(shape, name)?.key ?? name
    return !used.has(key) || typeOf(shape, key)?.match(/array|\[\]/) != null
  })
  const negations = typed.startsWith('--no-')
    ? free.filter((name) => findTarget(shape, `no-${name}`)?.negated).map((name) => `no-${name}`)
    : []
  const flags = [...free, ...negations].map((name) => `--${name}`)
  return [...startingWith(typed, flags), ...(typed === '' ? ['>>'] : [])]
}

function keyOf(shape: NodeShape, flag: string): string {
  const name = flag.slice(2).replace(/=.*/s, '')
  return findTarget(shape, name)?.key ?? name
}

function startingWith(typed: string, texts: readonly string[]): readonly string[] {
  return texts.filter((text) => text.startsWith(typed))
}
