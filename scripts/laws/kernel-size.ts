/**
 * The laws of the small kernel. Every room depends on it, so it holds only shared types, the door and the ports that the
 * door needs; the contracts of the other rooms are in `ports/`, which holds types alone, so that nothing there can run.
 */
import type { Violation } from './violation.ts'

const MAX_LINES = 2600

/** With `verbatimModuleSyntax`, every other import and export is still there at run time. */
const IS_LOADED = /^(?:export (?!(?:declare |type\b|interface\b))|import (?!type\b))/m

type Source = readonly [file: string, text: string]

export function kernelViolations(sources: readonly Source[]): readonly Violation[] {
  const kernel = sources.filter(([file]) => file.startsWith('src/kernel/'))
  const lines = kernel.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  return lines <= MAX_LINES
    ? []
    : [{ where: 'src/kernel', what: `has ${lines} lines, at most ${MAX_LINES} are allowed` }]
}

export function portViolations(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(([file, text]) => file.startsWith('src/ports/') && IS_LOADED.test(text))
    .map(([file]) => ({ where: file, what: 'holds more than types' }))
}
