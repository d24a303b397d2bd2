/**
 * The environment variable that a server says it lacks, in the last words before it exited. Pure. The words are
 * untrusted: a name leads to a question to the person and to nothing else, and never one that decides which code runs.
 */

const NAME = /\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g
const LACK =
  /\b(?:not (?:been )?(?:set|provided|configured|defined|specified)|missing|required?s?|must (?:be set|be provided|be defined|set|provide)|please (?:set|provide)|undefined|needs?)\b/i
/** Variables that steer a loader, a proxy or a package manager, and words that are codes of errors. */
const NO_SETTING =
  /^(?:NODE|LD|DYLD|NPM|YARN|PNPM|PYTHON|PERL5|RUBY|JAVA|GIT|BASH|SSL|OPENSSL|ERR)_|_PROXY$|(?:^|_)(?:NOT|ERROR|FAILED|INVALID)(?:_|$)/
const LONGEST_NAME = 64

/** Whether a person may be asked for a variable of this name. */
export function isSettable(name: string): boolean {
  return name.length <= LONGEST_NAME && !NO_SETTING.test(name)
}

/** `known`: names that the server was given already; it lacks something else then. */
export function missingSetting(words: string, known: ReadonlySet<string>): string | undefined {
  for (const sentence of words.split(/[.;|!\n]\s/)) {
    if (!LACK.test(sentence)) continue
    const names = sentence.match(NAME) ?? []
    const found = names.find((name) => isSettable(name) && !known.has(name))
    if (found !== undefined) return found
  }
  return undefined
}
