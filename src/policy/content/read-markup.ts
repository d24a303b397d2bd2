/**
 * Reads one piece of HTML markup at a "<", as the tokenizer of the HTML standard does (section 13.2.5): a tag with its
 * attributes, a comment, or nothing but text. Resolves nothing and keeps no state.
 */

export interface HtmlAttribute {
  /** In lower case. */
  readonly name: string
  /** As it is written, character references included; empty if there is none. */
  readonly value: string
}

export interface HtmlTag {
  readonly kind: 'tag'
  readonly start: number
  readonly end: number
  /** In lower case. */
  readonly name: string
  readonly isEnd: boolean
  readonly attributes: readonly HtmlAttribute[]
}

export type Markup =
  | HtmlTag
  | { readonly kind: 'comment'; readonly end: number }
  /** The "<" begins no markup. */
  | { readonly kind: 'text' }
  /** Markup that never ends. */
  | { readonly kind: 'open' }

/** The standard's white space, which is less than that of `\s`: another space would be part of a name or value. */
const NAME = /\/?([a-z][^\t\n\f\r />]*)/iy
const SPACE = /[\t\n\f\r /]*/y
const ATTRIBUTE =
  /([^\t\n\f\r />][^\t\n\f\r />=]*)[\t\n\f\r ]*(?:(=)[\t\n\f\r ]*(?:"([^"]*)"|'([^']*)'|([^\t\n\f\r "'>][^\t\n\f\r >]*)|(?=>)))?/y

export function readMarkup(text: string, start: number): Markup {
  const next = text[start + 1] ?? ''
  if (next === '!' || next === '?') return readComment(text, start)
  const name = matchAt(NAME, text, start + 1)
  if (name) return readTag(text, start, name)
  // "</" before anything but a letter begins a comment, too.
  return next === '/' ? readComment(text, start) : { kind: 'text' }
}

function readComment(text: string, start: number): Markup {
  const isLong = text.startsWith('<!--', start)
  if (isLong && /^-?>/.test(text.slice(start + 4, start + 6))) {
    return { kind: 'comment', end: text.indexOf('>', start) + 1 }
  }
  const at = text.indexOf(isLong ? '--' : '>', start + (isLong ? 4 : 2))
  if (!isLong) return at < 0 ? { kind: 'open' } : { kind: 'comment', end: at + 1 }
  CLOSE.lastIndex = start + 4
  const close = at < 0 ? null : CLOSE.exec(text)
  return close ? { kind: 'comment', end: close.index + close[0].length } : { kind: 'open' }
}

const CLOSE = /--!?>/g

function readTag(text: string, start: number, [all, name = '']: RegExpExecArray): Markup {
  const attributes: HtmlAttribute[] = []
  let at = afterSpace(text, start + 1 + all.length)
  while (text[at] !== '>') {
    const found = matchAt(ATTRIBUTE, text, at)
    // No more attributes, or a quote that never closes: the tag runs to the end of the text.
    if (!found || isCut(found, text[ATTRIBUTE.lastIndex])) return { kind: 'open' }
    at = afterSpace(text, ATTRIBUTE.lastIndex)
    attributes.push({ name: (found[1] ?? '').toLowerCase(), value: valueOf(found) })
  }
  const isEnd = text[start + 1] === '/'
  return { kind: 'tag', start, end: at + 1, name: name.toLowerCase(), isEnd, attributes }
}

function afterSpace(text: string, at: number): number {
  return at + (matchAt(SPACE, text, at)?.[0].length ?? 0)
}

/** The text is over, or the "=" did not match with its value, since the value never ends. */
function isCut([, , equals]: RegExpExecArray, next: string | undefined): boolean {
  return next === undefined || (equals === undefined && next === '=')
}

function valueOf([, , , double, single, bare]: RegExpExecArray): string {
  return double ?? single ?? bare ?? ''
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at
  return pattern.exec(text)
}
