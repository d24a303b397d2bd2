/**
 * The laws of the small kernel. Every room depends on it, so it holds only shared types, the door and the ports that the
 * door needs, and reads no file and opens no socket itself; the contracts of the other rooms are in `ports/`, which holds types alone, so that nothing there can run.
 */
import type { Violation } from './violation.ts'

const MAX_LINES = 2600

/** Modules that reach the world; a type of theirs is gone at run time. Tests of the kernel and doubles for tests may. */
const DOES_IO =
  /^import (?!type\b).* from 'node:(?:fs|fs\/promises|net|http|https|tls|dns|dgram|child_process|worker_threads)'/m
const IS_TEST = /(?:\.test\.ts|\/test-[a-z-]+\.ts)$/

/** With `verbatimModuleSyntax`, every other import and export is still there at run time. */
const IS_LOADED = /^(?:export (?!(?:declare |type\b|interface\b))|import (?!type\b))/m

type Source = readonly [file: string, text: string]

export function kernelViolations(sources: readonly Source[]): readonly Violation[] {
  const kernel = sources.filter(([file]) => file.startsWith('src/kernel/'))
  const lines = kernel.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  const size =
    lines <= MAX_LINES
      ? []
      : [{ where: 'src/kernel', what: `has ${lines} lines, at most ${MAX_LINES} are allowed` }]
  const worldly = kernel.filter(([file, text]) => !IS_TEST.test(file) && DOES_IO.test(text))
  return [...size, ...worldly.map(([file]) => ({ where: file, what: 'does I/O' }))]
}

export function portViolations(sources: readonly Source[]): readonly Violation[] {
  return sources
    .filter(([file, text]) => file.startsWith('src/ports/') && IS_LOADED.test(text))
    .map(([file]) => ({ where: file, what: 'holds more than types' }))
}
