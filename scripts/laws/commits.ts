/**
 * The law of commit subjects: `room: imperative`. It holds for every commit since the one that brought this file in, so
 * the answer is the same in a fresh clone and on a branch, and older commits need no rewrite.
 */
import type { Violation } from './violation.ts'

const SUBJECT = /^([a-z][a-z-]*(?:, [a-z][a-z-]*)*): (\S+)/
const NOT_A_VERB: ReadonlySet<string> = new Set(
  [
    'a an the this that these those each every no none nothing nobody one two three its it',
    'what whoever whatever where when how why only also some any all more less most whole',
    'is are was were has have had can may must will would should not never',
    'new old first last next same other another',
  ].flatMap((line) => line.split(' ')),
)
/** Verbs whose base form looks like an inflected one: `pass`, `need`, `bring`. */
const BASE_FORM =
  /^(?:\w*(?:ss|cess|dress)|need|feed|seed|embed|speed|shed|exceed|proceed|succeed|bring|string|sing|ring|spring|swing|focus|bias|canvas|alias)$/
const INFLECTED = /(?:[a-z]ing|[a-z]ed|[a-z]s)$/

export function subjectFault(subject: string): string | undefined {
  if (/^(?:Merge|Revert) /.test(subject)) return undefined
  const found = SUBJECT.exec(subject)
  if (!found) return 'expected `room: imperative subject`'
  const verb = (found[2] ?? '').toLowerCase()
  if (NOT_A_VERB.has(verb)) return `expected a verb after the colon, not "${verb}"`
  if (INFLECTED.test(verb) && !BASE_FORM.test(verb))
    return `expected the imperative (\`add\`, not \`adds\` or \`added\`), not "${verb}"`
  return undefined
}

/** `log`: lines of `<hash> <subject>`, as `git log --format="%h %s"` prints them. */
export function commitViolations(log: string): readonly Violation[] {
  return log
    .split('\n')
    .filter((line) => line !== '')
    .flatMap((line) => {
      const at = line.indexOf(' ')
      const what = subjectFault(line.slice(at + 1))
      return what === undefined
        ? []
        : [{ where: line.slice(0, at), what: `${what}: ${line.slice(at + 1)}` }]
    })
}
