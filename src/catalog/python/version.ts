/** Versions of Python packages and their order, as in PEP 440. Pure. */

import { groupsIn } from './groups-in.ts'

export interface Version {
  readonly text: string
  readonly epoch: number
  readonly release: readonly number[]
  /** `a`, `b` or `rc` as 0, 1 or 2, and its number. */
  readonly pre?: readonly [kind: number, number: number]
  readonly post?: number
  readonly dev?: number
  readonly local: readonly (string | number)[]
}

/** Numbers of at most 15 digits are exact; longer ones are no version of anything. */
const NUMBER = String.raw`\d{1,15}`
const VERSION = new RegExp(
  String.raw`^v?(?:(?<epoch>${NUMBER})!)?(?<release>${NUMBER}(?:\.${NUMBER}){0,15})` +
    String.raw`(?:[-_.]?(?<pre>alpha|a|beta|b|preview|pre|c|rc)[-_.]?(?<preNumber>\d{0,15}))?` +
    String.raw`(?:-(?<implicit>${NUMBER})|[-_.]?(?<post>post|rev|r)[-_.]?(?<postNumber>\d{0,15}))?` +
    String.raw`(?:[-_.]?(?<dev>dev)[-_.]?(?<devNumber>\d{0,15}))?` +
    String.raw`(?:\+(?<local>[a-z0-9]{1,64}(?:[-_.][a-z0-9]{1,64}){0,15}))?$`,
  'i',
)
const KINDS: Readonly<Record<string, number>> = { a: 0, b: 1, c: 2, r: 2, p: 2 }
const KIND_NAMES = ['a', 'b', 'rc']
const LONGEST = 128

export function parseVersion(given: string): Version | undefined {
  const text = given.trim().toLowerCase()
  const get = text.length > LONGEST ? undefined : groupsIn(VERSION, text)
  if (!get) return undefined
  const pre = get('pre')
  const isPost = get('implicit') !== '' || get('post') !== ''
  return {
    text,
    epoch: Number(get('epoch')),
    release: get('release').split('.').map(Number),
    ...(pre !== '' && { pre: [KINDS[pre.charAt(0)] ?? 0, Number(get('preNumber'))] as const }),
    ...(isPost && { post: Number(get('implicit') || get('postNumber')) }),
    ...(get('dev') !== '' && { dev: Number(get('devNumber')) }),
    local: get('local') === '' ? [] : get('local').split(/[-_.]/).map(localPart),
  }
}

function localPart(part: string): string | number {
  return /^\d{1,15}$/.test(part) ? Number(part) : part
}

/** The one spelling that all spellings of a version share. */
export function spellVersion({ epoch, release, pre, post, dev, local }: Version): string {
  return [
    epoch === 0 ? '' : `${epoch}!`,
    release.join('.'),
    pre ? `${KIND_NAMES[pre[0]]}${pre[1]}` : '',
    post === undefined ? '' : `.post${post}`,
    dev === undefined ? '' : `.dev${dev}`,
    local.length === 0 ? '' : `+${local.join('.')}`,
  ].join('')
}

export function isPreRelease({ pre, dev }: Version): boolean {
  return pre !== undefined || dev !== undefined
}

/** Without the local part (`+cpu`). */
export function publicPart(version: Version): Version {
  return version.local.length === 0 ? version : { ...version, local: [] }
}

/** Below zero if `a` is the earlier one. */
export function compareVersions(a: Version, b: Version): number {
  return (
    a.epoch - b.epoch ||
    compareLists(withoutZeros(a.release), withoutZeros(b.release)) ||
    compareLists(preKey(a), preKey(b)) ||
    (a.post ?? -1) - (b.post ?? -1) ||
    (a.dev ?? Number.MAX_SAFE_INTEGER) - (b.dev ?? Number.MAX_SAFE_INTEGER) ||
    compareLocal(a.local, b.local)
  )
}

function withoutZeros(release: readonly number[]): readonly number[] {
  const last = release.findLastIndex((number) => number !== 0)
  return release.slice(0, last + 1)
}

/** A development release of the version itself comes before its alphas, the version itself after all of them. */
function preKey({ pre, post, dev }: Version): readonly number[] {
  if (pre) return pre
  return post === undefined && dev !== undefined ? [-1] : [3]
}

function compareLists(a: readonly number[], b: readonly number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0)
    if (difference !== 0) return difference
  }
  return 0
}

function compareLocal(a: Version['local'], b: Version['local']): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = comparePart(a[at], b[at])
    if (difference !== 0) return difference
  }
  return 0
}

/** Nothing comes before a word, and a word before a number. */
function comparePart(a: string | number | undefined, b: string | number | undefined): number {
  const rank = (part: typeof a): number =>
    part === undefined ? 0 : typeof part === 'string' ? 1 : 2
  if (rank(a) !== rank(b)) return rank(a) - rank(b)
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return String(a) < String(b) ? -1 : Number(a !== b)
}
