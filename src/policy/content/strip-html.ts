/**
 * Takes every remote reference out of foreign HTML, whatever it holds: a loaded picture tells its server who read the
 * text. Foreign tags are written anew from a list of harmless elements and attributes, so nothing depends on how a mail
 * program reads broken markup; an unknown tag becomes text. Tags that the owner wrote stay byte for byte.
 */
import { foldText } from './fold-text.ts'
import type { ForeignRanges } from './foreign-ranges.ts'
import { HtmlWriter } from './html-writer.ts'
import { type HtmlTag, type Markup, readMarkup } from './read-markup.ts'

/** `html`: the text is a whole document or part of one. `references`: a text in which a tag may be HTML, as in Markdown. */
export type HtmlMode = 'html' | 'references'

export interface StrippedHtml {
  readonly text: string
  readonly foreign: ForeignRanges
  /** The number of places that were changed. */
  readonly removed: number
}

export function stripHtml(text: string, foreign: ForeignRanges, mode: HtmlMode): StrippedHtml {
  const writer = new HtmlWriter(text, foreign)
  const closings = new Closings(text, foreign)
  let at = 0
  for (let start = text.indexOf('<'); start >= 0; start = text.indexOf('<', at)) {
    writer.copy(at, start)
    const markup = mode === 'html' || !isComment(text, start) ? readMarkup(text, start) : TEXT
    if (markup.kind === 'open') {
      // An open tag or comment swallows the rest of the document, so no foreign "<" of the rest may remain.
      writer.escapeRest(start, mode)
      return writer.end()
    }
    at = writeMarkup(writer, mode, markup, start)
    const isElement = markup.kind === 'tag' && mode === 'html' && at === markup.end
    if (isElement) at = rawText(writer, closings, markup)
  }
  writer.copy(at, text.length)
  return writer.end()
}

type Closed = Exclude<Markup, { readonly kind: 'open' }>

/** Returns the end of what was written. */
function writeMarkup(writer: HtmlWriter, mode: HtmlMode, markup: Closed, start: number): number {
  const end = markup.kind === 'text' ? start + 1 : markup.end
  if (markup.kind === 'text' || !writer.isForeign(start, end)) writer.copy(start, end)
  else if (markup.kind === 'tag') return writeTag(writer, mode, markup)
  else if (writer.isHalfForeign(start, end)) return writer.escapePiece(start, mode)
  else writer.drop()
  return end
}

function writeTag(writer: HtmlWriter, mode: HtmlMode, tag: HtmlTag): number {
  const { start, end, name, attributes } = tag
  const isWhole = mode === 'html'
  const isKept = isWhole
    ? isHarmless
    : (key: string, value: string) => !isReference(name, key, value)
  const kept = attributes.filter((one) => isKept(one.name, one.value))
  const isSame = kept.length === attributes.length
  // Markdown ends a tag at an empty line: a tag inside a value may become one of its own.
  const isPlain = isSame && (isWhole || !writer.nests(start, end))
  if (!isWhole && isPlain) writer.copy(start, end)
  // A foreign beginning would swallow words of the owner up to their next quote or bracket.
  else if (writer.isHalfForeign(start, end)) return writer.escapePiece(start, mode)
  else if (!isWhole || HARMLESS_ELEMENTS.has(name)) writer.tag(tag, kept, isPlain)
  else if (ACTIVE_ELEMENTS.has(name)) writer.drop()
  else writer.escape(start, end)
  return end
}

/** Markdown ends a comment at an empty line, so what stands in one is looked at like all other text. */
function isComment(text: string, start: number): boolean {
  return text[start + 1] === '!' || text[start + 1] === '?'
}

const TEXT = { kind: 'text' } as const

/** Copies the content of an element that holds no tags, without its foreign parts. Returns the end of the content. */
function rawText(writer: HtmlWriter, closings: Closings, tag: HtmlTag): number {
  if (tag.isEnd || !RAW_ELEMENTS.has(tag.name)) return tag.end
  const end = closings.after(tag)
  // Without a closing tag the element was dropped or the owner left it open: what follows is read as usual.
  if (end === undefined) return tag.end
  writer.copyOwn(tag.end, end)
  return end
}

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const HARMLESS_ELEMENTS = words(`
  a abbr address article aside b bdi bdo big blockquote body br caption center cite code col colgroup dd del details dfn
  dir div dl dt em figcaption figure font footer h1 h2 h3 h4 h5 h6 head header hgroup hr html i img ins kbd li main mark
  menu nav ol p pre q rp rt ruby s samp section small span strike strong sub summary sup table tbody td tfoot th thead
  time tr tt u ul var wbr
`)
/** Elements that load, run or send: their tags are dropped, not shown as text. */
const ACTIVE_ELEMENTS = words(`
  applet area audio base basefont bgsound button canvas dialog embed fieldset form frame frameset iframe image input
  isindex keygen label legend link map math meta noembed noframes noscript object option optgroup output param picture
  plaintext portal script select slot source style svg template textarea title track video xml xmp
`)
const RAW_ELEMENTS = words('iframe noembed noframes noscript script style textarea title xmp')
const HARMLESS_ATTRIBUTES = words(`
  abbr align alt axis bgcolor border cellpadding cellspacing char charoff class clear color cols colspan compact
  datetime dir face frame headers height hidden hspace id lang noshade nowrap open reversed role rowspan rules scope
  size span start summary title translate type valign value vspace width xml:lang
`)
const REFERENCES = words(`
  action archive background cite classid codebase data dynsrc formaction href icon imagesrcset longdesc lowsrc manifest
  ping poster profile src srcdoc srcset usemap xlink:href
`)

function isHarmless(name: string, value: string): boolean {
  if (name === 'style') return isPlainStyle(value)
  return HARMLESS_ATTRIBUTES.has(name) || /^aria-[a-z]+$/.test(name)
}

function isReference(tag: string, name: string, value: string): boolean {
  if (name === 'style') return !isPlainStyle(value)
  return REFERENCES.has(name) || (tag === 'meta' && name === 'content')
}

/** No function that loads anything, and no escape or comment that could hide one. */
function isPlainStyle(value: string): boolean {
  const { plain } = foldText(value)
  return (
    /^[\w\s:;#%.,()'"!-]*$/.test(plain) && !/url|image|src|import|expression|element/i.test(plain)
  )
}

/**
 * The closing tags of raw elements. The owner's element ends at a closing tag of the owner: a foreign one is dropped, so
 * it ends nothing. For foreign elements each name is searched through the text once: hostile repetition stays linear.
 */
class Closings {
  readonly #text: string
  readonly #foreign: ForeignRanges
  readonly #next = new Map<string, number>()

  constructor(text: string, foreign: ForeignRanges) {
    this.#text = text
    this.#foreign = foreign
  }

  after({ name, start, end }: HtmlTag): number | undefined {
    const search = new RegExp(`</${name}[\\s/>]`, 'gi')
    if (!this.#foreign.touches(start, end)) return this.#ownAfter(search, end)
    const known = this.#next.get(name)
    if (known !== undefined && known >= end) return Number.isFinite(known) ? known : undefined
    search.lastIndex = end
    const found = search.exec(this.#text)?.index
    this.#next.set(name, found ?? Number.POSITIVE_INFINITY)
    return found
  }

  #ownAfter(search: RegExp, from: number): number | undefined {
    search.lastIndex = from
    for (;;) {
      const found = search.exec(this.#text)
      if (!found || !this.#foreign.has(found.index)) return found?.index
    }
  }
}
