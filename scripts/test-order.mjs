/** The order of test files: the longest first, so that a run does not end with one long file and idle processors. */

/** From longest to shortest, as listed at the end of a whole run. */
export const LONGEST = [
  'test/flows/engine-kill.test.ts',
  'test/attacks/escape/escape.test.ts',
  'test/leaks/leaks.test.ts',
  'test/transcripts/seeds-004-flows.test.ts',
  'test/catalog/installs.test.ts',
  'test/transcripts/flow-commands.test.ts',
  'test/transcripts/seeds-004-failures.test.ts',
  'test/transcripts/seeds-002.test.ts',
  'test/transcripts/connect-kill.test.ts',
  'test/transcripts/library.test.ts',
  'test/policy/approvals-kill.test.ts',
  'test/transcripts/kernel.test.ts',
]

/** The longest files, then the other tests of several rooms, which start programs, then the unit tests. */
export function inOrder(files) {
  const rank = (file) => {
    const at = LONGEST.indexOf(file)
    if (at >= 0) return at
    return LONGEST.length + (file.startsWith('src/') ? 1 : 0)
  }
  return files.toSorted((a, b) => rank(a) - rank(b))
}
