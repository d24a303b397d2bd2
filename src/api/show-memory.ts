/** All of memory as plain text, for a person to read or to keep elsewhere. Pure. */
import type { ForgottenCounts } from '../ports/memory-port.ts'
import type { FactView, ResultView, TurnView } from './memory.ts'

export interface WholeMemory {
  readonly facts: readonly FactView[]
  readonly results: readonly ResultView[]
  readonly turns: readonly TurnView[]
}

export function showMemory({ facts, results, turns }: WholeMemory): string {
  return [
    'FACTS',
    ...facts.map((fact) => `${showFact(fact)}\n   ${showSource(fact)}`),
    '',
    'RESULTS',
    ...results.map(showResultLine),
    '',
    'TURNS',
    ...turns.map(showTurn),
    '',
  ].join('\n')
}

/** `3. my dentist is Dr. Adeyemi`, and whose words these are if not the owner's. */
export function showFact({ number, text, isOthers, from }: FactView): string {
  const whose = from.length > 0 ? `from ${from.join(', ')}` : 'pasted'
  return `${number}. ${text}${isOthers ? ` (others' words, ${whose})` : ''}`
}

/** The answer to "why do you know that?". */
export function showSource({ channel, message, tool, keptAt }: FactView): string {
  const gave = tool === undefined ? '' : `; ${tool} gave the text`
  if (channel === 'flow') return `A flow kept it on ${showTime(keptAt)}`
  return `You wrote on ${showTime(keptAt)} (${channel}): ${message}${gave}`
}

export function showTurn({ number, at, channel, said, answered, from }: TurnView): string {
  const whose = from.length > 0 ? ` (with words of ${from.join(', ')})` : ''
  return `#${number} ${showTime(at)}, ${channel}\n  you: ${indent(said)}\n  Cordon${whose}: ${indent(answered)}`
}

export function showResultLine({ name, type, count, tool, at }: ResultView): string {
  const size = count === undefined ? '' : ` of ${count}`
  return `${name}: ${type}${size}, ${tool}, ${showTime(at)}`
}

/** `2 facts, 1 result and 0 turns`. */
export function showCounts({ facts, results, turns }: ForgottenCounts): string {
  return `${count(facts, 'fact')}, ${count(results, 'result')} and ${count(turns, 'turn')}`
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** In the time zone of this machine: `2026-11-16 22:40`. */
function showTime(iso: string): string {
  return new Date(iso).toLocaleString('sv-SE').slice(0, 16)
}

function indent(text: string): string {
  return text.replaceAll('\n', '\n    ')
}
