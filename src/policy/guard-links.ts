/**
 * Disarms links in untrusted text before it is sent to others in the owner's name: a web or e-mail address can be read
 * but not followed, an account or telephone number is left out, HTML loses every remote reference. Text of the owner,
 * links that the owner wrote in this very request, and text that goes back to the server it came from stay as they are.
 * A text is searched as it will be read: whole, whichever source wrote which part. Says how many places it changed.
 */
import { findLinks, type FoundLink } from './content/find-links.ts'
import { foldText, IDEOGRAPHIC_STOP } from './content/fold-text.ts'
import {
  comesFromElsewhere,
  ForeignRanges,
  type IsForeign,
  writtenTree,
} from './content/foreign-ranges.ts'
import { stripHtml } from './content/strip-html.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { Json, JsonObject } from '../text/json.ts'

export interface GuardOptions {
  /** The owner's own text. */
  readonly words: string
  /** The server that the value goes back to, if it came from there. */
  readonly spares?: string | undefined
  /** The receiver shows the text as HTML. */
  readonly isHtml?: boolean
}

export interface GuardedValue {
  readonly value: Json
  /** The number of places: links and remote references; account, card and telephone numbers. */
  readonly links: number
  readonly numbers: number
}

export function guardLinks(value: Json, tree: LabelTree, options: GuardOptions): GuardedValue {
  const guard = new Guard(options)
  const guarded = guard.value(value, tree, options.isHtml === true)
  return { value: guarded, links: guard.links, numbers: guard.numbers }
}

class Guard {
  links = 0
  numbers = 0
  readonly #words: string
  readonly #isForeign: IsForeign
  #own: ReadonlySet<string> | undefined

  constructor({ words, spares }: GuardOptions) {
    this.#words = words
    this.#isForeign = comesFromElsewhere(spares)
  }

  /** A value without a foreign part is returned itself, not a copy. */
  value(value: Json, tree: LabelTree, isHtml: boolean): Json {
    if (typeof value === 'string') return this.#text(value, tree, isHtml)
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) {
      return value.map((item: Json, at) => this.value(item, writtenTree(tree, String(at)), isHtml))
    }
    const members = Object.entries(value as JsonObject).map(([name, member]) => {
      const isHtmlMember = isHtml || /html/i.test(name)
      return [
        this.#name(name, tree),
        this.value(member, writtenTree(tree, name), isHtmlMember),
      ] as const
    })
    // Two names may become one; then the guarded ones are numbered, so that no member is lost.
    return Object.fromEntries(withoutDoubles(members))
  }

  /** A member's name is written by whoever wrote the object. */
  #name(name: string, { label }: LabelTree): string {
    return this.#text(name, { label }, false)
  }

  #text(text: string, tree: LabelTree, isHtml: boolean): string {
    const foreign = ForeignRanges.of(text.length, tree, this.#isForeign)
    if (foreign.isEmpty) return text
    if (!text.includes('<')) return this.#disarm(text, foreign)
    const stripped = stripHtml(text, foreign, isHtml ? 'html' : 'references')
    this.links += stripped.removed
    return this.#disarm(stripped.text, stripped.foreign)
  }

  /** One untrusted part makes a link untrusted. */
  #disarm(text: string, foreign: ForeignRanges): string {
    const folded = foldText(text)
    let safe = ''
    let at = 0
    for (const link of findLinks(folded.plain)) {
      const [start, end] = folded.original(link.start, link.end)
      const found = folded.plain.slice(link.start, link.end)
      if (!foreign.touches(start, end) || this.#isOwn(found)) continue
      safe += text.slice(at, start) + this.#disarmed(found, link.kind)
      at = end
    }
    return at === 0 ? text : safe + text.slice(at)
  }

  #disarmed(found: string, kind: FoundLink['kind']): string {
    if (kind === 'link') this.links += 1
    else this.numbers += 1
    return kind === 'link' ? unfollowable(found) : `[${kind} number left out]`
  }

  #isOwn(found: string): boolean {
    if (this.#words === '') return false
    const { plain } = foldText(this.#words)
    this.#own ??= new Set(findLinks(plain).map(({ start, end }) => plain.slice(start, end)))
    return this.#own.has(found)
  }
}

type Members = readonly (readonly [string, Json])[]

function withoutDoubles(members: Members): Members {
  const seen = new Map<string, number>()
  return members.map(([name, value]) => {
    const nth = (seen.get(name) ?? 0) + 1
    seen.set(name, nth)
    return nth === 1 ? [name, value] : [`${name} (${nth})`, value]
  })
}

function unfollowable(address: string): string {
  return address
    .replace(/^http/i, 'hxxp')
    .replace(/^ftp/i, 'fxp')
    .replace(/^(?!hxxp|fxp)([a-z][a-z0-9+.-]*):/i, '[$1] ')
    .replace(/^[\\/](?:\s*[\\/])+/, '[//]')
    .replaceAll('@', '[at]')
    .replaceAll('.', '[.]')
    .replaceAll(IDEOGRAPHIC_STOP, '[.]')
}
