/** The law of the small kernel: every room depends on it, so it holds only shared types, ports and the one door. */
import type { Violation } from './violation.ts'

const MAX_LINES = 2950

export function kernelViolations(
  sources: readonly (readonly [file: string, text: string])[],
): readonly Violation[] {
  const kernel = sources.filter(([file]) => file.startsWith('src/kernel/'))
  const lines = kernel.reduce((sum, [, text]) => sum + text.split('\n').length - 1, 0)
  return lines <= MAX_LINES
    ? []
    : [{ where: 'src/kernel', what: `has ${lines} lines, at most ${MAX_LINES} are allowed` }]
}
