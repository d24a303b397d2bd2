/** The image to install, validated first: its name and digest become addresses and folder names. */
import { parseServerId, type ServerId, serverIdFor } from '../../kernel/server-id.ts'
import type { ServiceLaunch } from '../../ports/service-facts.ts'
import { cannotInstallImage } from './image-errors.ts'
import { DIGEST, imageName, type ImageReference, parseImageReference } from './image-reference.ts'

export type ImageLaunch = Extract<ServiceLaunch, { kind: 'image' }>

export interface WantedImage {
  readonly server: ServerId
  readonly reference: ImageReference
  /** A tag or a digest. */
  readonly version: string
  /** For people: `ghcr.io/acme/notes:1.2`. */
  readonly what: string
}

const LONGEST_NAME = 60

export function parseWantedImage(slug: string, launch: ImageLaunch): WantedImage {
  const { package: name, version } = launch
  const mark = DIGEST.test(version) ? '@' : ':'
  const reference = parseImageReference(`${name}${mark}${version}`)
  if (!reference || imageName(reference) !== name) {
    throw cannotInstallImage('bad-package', name, 'that is not the name of an image')
  }
  const what = `${name}${mark}${DIGEST.test(version) ? shortDigest(version) : version}`
  return { server: parseServerId(slug), reference, version, what }
}

export function isPinned({ version }: Pick<ImageLaunch, 'version'>): boolean {
  return DIGEST.test(version)
}

/** The tag that led to the digest; undefined for an image that is named by its digest alone. */
export function tagOf({ version, tag }: Pick<ImageLaunch, 'version' | 'tag'>): string | undefined {
  return DIGEST.test(version) ? tag : version
}

/** `sha256:0123456789ab`, as people compare them. */
export function shortDigest(digest: string): string {
  return digest.slice(0, 'sha256:'.length + 12)
}

/** An image is the same for every server, so its folder is named after it. */
export function folderName(name: string, digest: string): string {
  const hex = digest.slice('sha256:'.length)
  return `${serverIdFor(name.slice(-LONGEST_NAME))}@sha256-${hex.slice(0, 32)}`
}
