/**
 * The news of the npm registry about a package that is installed already: whether there is a newer version, and
 * whether the one in use was withdrawn. Installs nothing. The answers are untrusted: shown, never acted on.
 */
import { z } from 'zod'
import { CordonError } from '../../kernel/error.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { type StepParts, viewPackage } from './npm-task.ts'
import { lookUpImageNews } from '../images/look-up-image-news.ts'
import { lookUpPythonNews } from '../python/look-up-python-news.ts'
import type { PartFolder } from './part-folder.ts'
import { readRegistry } from './registry.ts'

export interface PackageNews {
  /** Above the version in use. */
  readonly newer?: string
  /** The version in use is gone from the registry, or its publisher warns against it, in their words. */
  readonly withdrawn?: string
}

export interface UsedPackage {
  readonly server: ServerId
  readonly kind: 'npm' | 'pypi' | 'image'
  readonly name: string
  readonly version: string
  /** Of an image, whose version is a digest. */
  readonly tag?: string
}

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(-[0-9A-Za-z.-]{1,64})?$/
const LONGEST_WARNING = 300
const GONE = 'the registry no longer has it'

const Answer = z.object({
  deprecated: z.string().optional().catch(undefined),
  'dist-tags.latest': z.string().optional().catch(undefined),
})

export async function lookUpNews(
  parts: StepParts,
  used: UsedPackage & { readonly part: PartFolder },
  signal: AbortSignal,
): Promise<PackageNews> {
  if (used.kind === 'pypi') return await lookUpPythonNews(parts, used, signal)
  if (used.kind === 'image') return await lookUpImageNews(parts, used, signal)
  const { server, name, version, part } = used
  const view = async (what: string): Promise<z.infer<typeof Answer> | undefined> => {
    const registry = await readRegistry(parts, what)
    const fields = ['deprecated', 'dist-tags.latest', 'version']
    const text = await viewPackage(parts, { server, what, registry, part }, fields, signal)
    const found: unknown = text.trim() === '' ? undefined : JSON.parse(text)
    return Answer.safeParse(Array.isArray(found) ? found.at(-1) : found).data
  }
  const own = await view(`${name}@${version}`).catch((error: unknown) => {
    if (error instanceof CordonError && error.code === 'catalog.no-such-package') return undefined
    throw error
  })
  const latest = (own ?? (await view(name)))?.['dist-tags.latest']
  const withdrawn = own ? own.deprecated?.slice(0, LONGEST_WARNING) : GONE
  return {
    ...(latest !== undefined && isNewer(latest, version) && { newer: latest }),
    ...(withdrawn && { withdrawn }),
  }
}

/** Semantic Versioning 2.0.0, section 11, without the order of two pre-releases. */
export function isNewer(version: string, than: string): boolean {
  const [one, other] = [VERSION.exec(version), VERSION.exec(than)]
  if (!one || !other) return false
  for (const part of [1, 2, 3]) {
    const difference = Number(one[part]) - Number(other[part])
    if (difference !== 0) return difference > 0
  }
  return one[4] === undefined && other[4] !== undefined
}
