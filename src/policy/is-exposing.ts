/**
 * Arguments whose name says that they make something public, widen its audience or its rights, or override a safeguard.
 * One untrusted bit there is the whole attack, so no budget covers it. Adds questions only: a name proves nothing safe.
 */

/** Stems: `publish` also means `published` and `publishing`. Compared with the words of a name. */
const STEMS: readonly string[] = [
  'public',
  'publish',
  'priva',
  'share',
  'sharing',
  'visib',
  'expos',
  'audience',
  'anonym',
  'forc',
  'overwrit',
  'overrid',
  'replac',
  'delet',
  'remov',
  'destroy',
  'purg',
  'permanent',
  'irrevers',
  'admin',
  'owner',
  'sudo',
  'root',
  'role',
  'permission',
  'privileg',
  'grant',
  'access',
  'scope',
  'trust',
  'notif',
  'send',
  'broadcast',
  'mention',
  'invit',
  'recipient',
  'guest',
  'everyone',
  'approv',
  'confirm',
  'skip',
  'bypass',
  'ignor',
  'disabl',
  'unsafe',
  'insecure',
  'dangerous',
]

/** Whole words, since as stems they would match too much. */
const WORDS: ReadonlySet<string> = new Set(['to', 'cc', 'bcc', 'sent', 'acl', 'merge', 'pay'])

export function isExposing(name: string): boolean {
  return wordsOf(name).some(
    (word) => WORDS.has(word) || STEMS.some((stem) => word.startsWith(stem)),
  )
}

/** `isPublicLink`, `is_public`, `ISPublic` and `is-public` have the word `public`. */
function wordsOf(name: string): readonly string[] {
  return name
    .normalize('NFKC')
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .toLowerCase()
    .split(/[^\p{L}]+/u)
    .filter((word) => word !== '')
}
