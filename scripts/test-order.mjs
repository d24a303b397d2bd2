/** In which order test files run: the longest first, so that the end of a run is not one long file and an idle processor. */
import { readFileSync } from 'node:fs'

/** From longest to shortest, as the end of a whole run shows them. */
export const LONGEST = [
  'test/flows/engine-kill.full.test.ts',
  'test/leaks/leaks.full.test.ts',
  'test/attacks/escape/escape.test.ts',
  'test/catalog/installs.test.ts',
  'test/transcripts/flow-commands.full.test.ts',
  'test/policy/approvals-kill.full.test.ts',
  'test/catalog/interrupted.full.test.ts',
  'test/transcripts/kernel.test.ts',
  'test/transcripts/approvals.test.ts',
  'test/store/postgres.test.ts',
]

/** Tests with servers from npm: their packages are installed while the tests before them run. */
const NEEDS_PACKAGES = /fixtures\/(?:connected-cordon|packages|seeds-cordon)\.ts'|isReal: true/

/** After the longest: the other tests of several rooms, those that need packages, and the unit tests. */
export function inOrder(files) {
  const rank = (file) => {
    const at = LONGEST.indexOf(file)
    if (at >= 0) return at
    if (file.startsWith('src/')) return LONGEST.length + 2
    return LONGEST.length + (NEEDS_PACKAGES.test(readFileSync(file, 'utf8')) ? 1 : 0)
  }
  return files.toSorted((a, b) => rank(a) - rank(b))
}
