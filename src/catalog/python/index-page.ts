/**
 * The page of an index about one package: the files of all its versions. HTML as in PEP 503, JSON as in PEP 691.
 * Untrusted: addresses are only parsed here, and which hosts are reached is decided elsewhere. Pure.
 */
import { Unfit } from '../install/unfit.ts'

export interface IndexFile {
  readonly file: string
  readonly url: string
  readonly sha256?: string
  readonly requiresPython?: string
  readonly isYanked: boolean
  /** The SHA-256 of the file beside it with its metadata (PEP 658); true if the index gives no hash. */
  readonly metadata?: string | true
  /** Milliseconds; only in JSON. */
  readonly uploadedAt?: number
}

export const ACCEPT =
  'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.1'
const MOST_FILES = 50_000
const SHA256 = /^[0-9a-f]{64}$/i

/** Throws `Unfit` if it is no page of an index. */
export function parseIndexPage(text: string, type: string, url: string): readonly IndexFile[] {
  if (/^application\/(?:vnd\.pypi\.simple\.v1\+json|json)\b/.test(type)) return parseJson(text, url)
  if (/^(?:text\/html|application\/vnd\.pypi\.simple\.v1\+html)\b/.test(type)) {
    return parseHtml(text, url)
  }
  throw notAPage()
}

function notAPage(): Unfit {
  return new Unfit('the Python index does not answer with a list of files')
}

type Fields = Readonly<Record<string, unknown>>

function parseJson(text: string, url: string): readonly IndexFile[] {
  const page = asFields(readJson(text))
  const version = asFields(page['meta'])['api-version']
  const { files } = page
  const isPage = typeof version === 'string' && /^1\.\d{1,4}$/.test(version)
  if (!isPage || !Array.isArray(files) || files.length > MOST_FILES) throw notAPage()
  return files.flatMap((entry) => fileOf(asFields(entry), url) ?? [])
}

function fileOf(entry: Fields, page: string): IndexFile | undefined {
  const { filename, url: written, yanked } = entry
  if (typeof filename !== 'string' || typeof written !== 'string') return undefined
  const url = URL.parse(written, page)
  if (!url) return undefined
  const requiresPython = entry['requires-python']
  const metadata = metadataOf(entry['core-metadata'] ?? entry['dist-info-metadata'])
  const uploaded = entry['upload-time']
  const uploadedAt = typeof uploaded === 'string' ? Date.parse(uploaded) : Number.NaN
  return {
    file: filename,
    url: withoutFragment(url),
    ...hashOf(asFields(entry['hashes'])['sha256']),
    ...(typeof requiresPython === 'string' && { requiresPython }),
    isYanked: yanked !== undefined && yanked !== false,
    ...(metadata !== undefined && { metadata }),
    ...(!Number.isNaN(uploadedAt) && { uploadedAt }),
  }
}

function metadataOf(value: unknown): string | true | undefined {
  if (value === true) return true
  return hashOf(asFields(value)['sha256'])?.sha256
}

function hashOf(value: unknown): { readonly sha256: string } | undefined {
  const isHash = typeof value === 'string' && SHA256.test(value)
  return isHash ? { sha256: value.toLowerCase() } : undefined
}

const LONGEST_ANCHOR = 8000
/** A quote that nothing closes ends with the text: without that each of many would be looked for to the end. */
const ATTRIBUTE =
  /(?<name>[\w-]+)(?:\s*=\s*(?:"(?<double>[^"]*)(?:"|$)|'(?<single>[^']*)(?:'|$)))?/g
/** A page names its base in its head. */
const HEAD = 16_384
const BASE = /<base\s+[^>]{0,2000}?href\s*=\s*["'](?<href>[^"']{1,2000})["']/i

function parseHtml(text: string, url: string): readonly IndexFile[] {
  const base = URL.parse(BASE.exec(text.slice(0, HEAD))?.groups?.['href'] ?? '', url)?.href ?? url
  const anchors = anchorsIn(text)
  if (anchors.length > MOST_FILES || !/<(?:!doctype|html|body|a)\b/i.test(text)) throw notAPage()
  return anchors.flatMap((attributes) => linkOf(attributesOf(attributes), base) ?? [])
}

/** The attributes of each `<a …>`. Reads the text once: a page may be large, and made to be slow to search. */
function anchorsIn(text: string): readonly string[] {
  const lower = text.toLowerCase()
  const found: string[] = []
  let end = -1
  for (let at = lower.indexOf('<a'); at >= 0; at = lower.indexOf('<a', at + 2)) {
    if (end < at) end = text.indexOf('>', at)
    if (end < 0 || found.length > MOST_FILES) break
    const isAnchor = /\s/.test(text[at + 2] ?? '') && end - at <= LONGEST_ANCHOR
    if (isAnchor) found.push(text.slice(at + 2, end))
  }
  return found
}

function attributesOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(text.matchAll(ATTRIBUTE), ({ groups }) => [
      (groups?.['name'] ?? '').toLowerCase(),
      unescape(groups?.['double'] ?? groups?.['single'] ?? ''),
    ]),
  )
}

function linkOf(attributes: ReadonlyMap<string, string>, base: string): IndexFile | undefined {
  const url = URL.parse(attributes.get('href') ?? '', base)
  if (!url) return undefined
  const requiresPython = attributes.get('data-requires-python')
  const metadata = attributes.get('data-core-metadata') ?? attributes.get('data-dist-info-metadata')
  return {
    file: lastPart(url),
    url: withoutFragment(url),
    ...hashAfter(url.hash.slice(1)),
    ...(requiresPython !== undefined && { requiresPython }),
    isYanked: attributes.has('data-yanked'),
    ...(metadata !== undefined && { metadata: hashAfter(metadata)?.sha256 ?? true }),
  }
}

/** `sha256=…`; any other hash counts as none. */
function hashAfter(text: string): { readonly sha256: string } | undefined {
  return hashOf(/^sha256=(\w+)/.exec(text)?.[1])
}

function lastPart({ pathname }: URL): string {
  const last = pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

function withoutFragment(url: URL): string {
  const plain = new URL(url)
  plain.hash = ''
  return plain.href
}

const ENTITIES: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  '#39': "'",
  '#x27': "'",
}

function unescape(text: string): string {
  return text.replace(
    /&(amp|lt|gt|quot|#39|#x27);/g,
    (whole, name: string) => ENTITIES[name] ?? whole,
  )
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw notAPage()
  }
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Fields)
    : {}
}
