/**
 * Reads the sentences about memory: "remember that …", "what do you know about …", `/memory forget 3`. Fixed patterns, no
 * model. A sentence without a word that asks to keep it is never a fact. Pure; knows English only.
 */

export type MemoryWish =
  | { readonly kind: 'keep'; readonly text: string; readonly isPasted: boolean }
  | { [Kind in PlainKind]: { readonly kind: Kind } }[PlainKind]
  /** No words: everything. */
  | { readonly kind: 'about'; readonly words: string }
  /** "who is my dentist?": answered only if a fact has exactly this subject. */
  | { readonly kind: 'ask'; readonly subject: string }
  | { readonly kind: 'search'; readonly words: string }
  /** No number: the facts that were shown last. */
  | { readonly kind: 'why'; readonly number?: number }
  | { readonly kind: 'edit'; readonly number: number; readonly text: string }
  | { readonly kind: 'forget'; readonly numbers: readonly number[] }
  /** "forget my dentist": only if one fact fits. */
  | { readonly kind: 'forget-about'; readonly words: string }
  | { readonly kind: 'forget-from'; readonly from: string; readonly isSure: boolean }

/** Wishes that say nothing more. */
type PlainKind = 'list' | 'results' | 'history' | 'state' | 'export' | 'help'

type Reading = (match: RegExpExecArray) => MemoryWish | undefined

/** "remember to …" is a wish to be reminded, and "remember it" means something else than its words. */
const KEEP =
  /^(?:please\s+|can you\s+|could you\s+)?(?:remember|note|keep in mind|memori[sz]e|don't forget)(?:\s+that\b|\s*:)?\s+(?!to\s|(?:it|this|that|him|her|them)\W*$|when\b|how\b|why\b|\$)([^]+)$/i
const NOTE_THAT = /^(?:please\s+)?note(?:\s+that\b|\s*:)/i

/** Read to the last character: a fact may end in "Inc." or "?". */
const WHOLE: readonly (readonly [RegExp, Reading])[] = [
  [
    /^(\/)?memory(?:\s+([^]*))?$/i,
    // Without a slash, "memory is short" is a sentence.
    ([, slash, rest = '']) =>
      readBy(COMMANDS, rest.trim()) ?? (slash ? { kind: 'help' } : undefined),
  ],
  [KEEP, ([whole, text = '']) => readFact(whole, text)],
]

/** Read without the punctuation at their end. */
const SENTENCES: readonly (readonly [RegExp, Reading])[] = [
  [
    /^what (?:do|else do) you (?:know|remember)(?: about (.+?))?$/i,
    ([, words = '']) => about(words),
  ],
  [/^(?:why|how|from where|where from) do you know (?:that|this|it)$/i, () => ({ kind: 'why' })],
  [/^(?:why|how) do you know (?:fact |number |#)?(\d+)$/i, ([, number]) => why(number)],
  [
    /^(yes, )?forget everything (?:that (?:came|comes|is) |that you (?:know|got|have) )?from (.+)$/i,
    ([, sure, from = '']) => ({ kind: 'forget-from', from, isSure: sure !== undefined }),
  ],
  [
    /^(yes, )?forget everything$/i,
    ([, sure]) => ({ kind: 'forget-from', from: 'everywhere', isSure: sure !== undefined }),
  ],
  [/^forget (?:facts? |numbers? |#)?(\d+(?:[\s,]+\d+)*)$/i, ([, list = '']) => forget(list)],
  [/^forget (?:about |that )?(.+)$/i, ([, words = '']) => aboutToForget(words)],
  [
    /^(?:who|what|where|when|which)(?:'s| is| are| was| were) (my .+?)$/i,
    ([, subject = '']) => ({ kind: 'ask', subject }),
  ],
]

/** No question about memory is longer, and cutting the end off a long text takes quadratic time. */
const LONGEST_SENTENCE = 1000

/** Undefined if the message is not about memory. */
export function readMemoryWords(message: string): MemoryWish | undefined {
  const trimmed = message.trim()
  const whole = readBy(WHOLE, trimmed)
  if (whole || trimmed.length > LONGEST_SENTENCE) return whole
  return readBy(SENTENCES, trimmed.replace(/[\s?!.]+$/, ''))
}

function readBy(
  readings: readonly (readonly [RegExp, Reading])[],
  text: string,
): MemoryWish | undefined {
  for (const [pattern, read] of readings) {
    const found = pattern.exec(text)
    const wish = found && read(found)
    if (wish) return wish
  }
  return undefined
}

/** The words after `/memory`. */
const COMMANDS: readonly (readonly [RegExp, Reading])[] = [
  [/^(?:list)?$/i, () => ({ kind: 'list' })],
  [
    /^(results|history|state|export|help)$/i,
    ([word]) => ({ kind: word.toLowerCase() as PlainKind }),
  ],
  [
    /^edit\s+#?(\d+)\s+([^]+)$/i,
    ([, number, text = '']) => ({ kind: 'edit', number: Number(number), text }),
  ],
  [
    /^forget\s+(?:everything\s+)?from\s+(.+)$/i,
    ([, from = '']) => ({ kind: 'forget-from', from, isSure: false }),
  ],
  [/^forget\s+#?(\d+(?:[\s,]+\d+)*)$/i, ([, list = '']) => forget(list)],
  [/^why\s+#?(\d+)$/i, ([, number]) => why(number)],
  [/^search\s+(.+)$/i, ([, words = '']) => ({ kind: 'search', words })],
]

/** "note" begins many other sentences; only "note that" and "note:" ask for a fact. */
function readFact(whole: string, text: string): MemoryWish | undefined {
  if (/^(?:please\s+)?note\b/i.test(whole) && !NOTE_THAT.test(whole)) return undefined
  return { kind: 'keep', text: text.trim(), isPasted: isPasted(whole) }
}

/** Several lines, or a long quotation: words that the owner most likely did not write. */
function isPasted(text: string): boolean {
  return text.includes('\n') || /["“”«»][^"“”«»]{40,}["“”«»]/.test(text)
}

/** "about me" asks for everything. */
function about(words: string): MemoryWish {
  const isAll = /^(?:me|myself|everything)?$/i.test(words.trim())
  return { kind: 'about', words: isAll ? '' : words.trim() }
}

function why(number: string | undefined): MemoryWish {
  return { kind: 'why', number: Number(number) }
}

function forget(list: string): MemoryWish {
  return { kind: 'forget', numbers: [...new Set(list.split(/[\s,]+/).map(Number))] }
}

/** `forget about it` ends a topic, and names no fact. */
function aboutToForget(words: string): MemoryWish | undefined {
  if (/^(?:it|this|that|them|everything)\b/i.test(words)) return undefined
  return { kind: 'forget-about', words }
}
