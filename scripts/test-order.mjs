/** In which order test files run: the longest first, so that the end of a run is not one long file and an idle processor. */

/** From longest to shortest, as the end of a whole run shows them; those that need npm packages after the others. */
export const LONGEST = [
  'test/flows/engine-kill.full.test.ts',
  'test/leaks/leaks.full.test.ts',
  'test/attacks/escape/escape.test.ts',
  'test/catalog/installs.test.ts',
  'test/transcripts/flow-commands.test.ts',
  'test/transcripts/connect-kill.full.test.ts',
  'test/policy/approvals-kill.full.test.ts',
  'test/catalog/interrupted.full.test.ts',
  'test/transcripts/kernel.test.ts',
  'test/transcripts/seeds-004-flows.full.test.ts',
  'test/transcripts/seeds-002.full.test.ts',
  'test/transcripts/library.full.test.ts',
  'test/transcripts/seeds-004-failures.full.test.ts',
]

/** Then the other tests of several rooms, which start programs, and then the unit tests. */
export function inOrder(files) {
  const rank = (file) => {
    const at = LONGEST.indexOf(file)
    if (at >= 0) return at
    return LONGEST.length + (file.startsWith('src/') ? 1 : 0)
  }
  return files.toSorted((a, b) => rank(a) - rank(b))
}
