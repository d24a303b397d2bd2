/** The news of an image's registry: its tag leads to another digest than the one in use, or is gone. */
import { CordonError } from '../../kernel/error.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import { resolveDigest } from './install-image.ts'
import { parseWantedImage } from './wanted-image.ts'

interface UsedImage {
  readonly server: ServerId
  readonly name: string
  /** The digest in use. */
  readonly version: string
  /** Absent: the image is named by its digest alone, which never moves. */
  readonly tag?: string
  readonly part: PartFolder
}

/** A tag has no order: what it leads to now counts as newer, also if that was built earlier. */
export async function lookUpImageNews(
  parts: StepParts,
  { server, name, version, tag, part }: UsedImage,
  signal: AbortSignal,
): Promise<{ readonly newer?: string; readonly withdrawn?: string }> {
  if (tag === undefined) return {}
  const launch = { kind: 'image', package: name, version: tag, args: [] } as const
  try {
    const digest = await resolveDigest(parts, parseWantedImage(server, launch), part, signal)
    return digest === version ? {} : { newer: digest }
  } catch (error) {
    if (!(error instanceof CordonError) || error.code !== 'catalog.no-such-package') throw error
    return { withdrawn: `the registry no longer has the tag ${JSON.stringify(tag)}` }
  }
}
