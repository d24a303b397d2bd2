/** The job of the program in the install sandbox, and its answer, which is checked as untrusted text. */
import { z } from 'zod'
import type { InstallProblem } from '../install/install-errors.ts'
import { DIGEST } from './image-reference.ts'

export interface ImageJob {
  readonly step: 'resolve' | 'fetch'
  /** `https://host:port`, without a path. */
  readonly registry: string
  readonly repository: string
  /** A tag or a digest. */
  readonly reference: string
  /** Hosts with port that may be reached, the registry's own first. */
  readonly hosts: readonly string[]
  /** For archives of layers. */
  readonly cache: string
  /** The root file system to make. */
  readonly root: string
  readonly silenceMs: number
  readonly platform: { readonly architecture: string; readonly variant?: string }
  readonly limits: UnpackLimits
  /** For `fetch`: what was resolved. */
  readonly image?: ResolvedImage
}

export interface UnpackLimits {
  /** All layers together, unpacked. */
  readonly bytes: number
  readonly fileBytes: number
  readonly entries: number
}

/** One part of an image, by its digest. */
export interface Descriptor {
  readonly digest: string
  readonly size: number
  readonly mediaType: string
}

export interface ImageSettings {
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** `NAME=value` */
  readonly environment: readonly string[]
  readonly workingFolder: string
  readonly user: string
  readonly volumes: readonly string[]
  /** The name in the official registry that its label claims. */
  readonly mcpName?: string | undefined
}

export interface ResolvedImage {
  /** Of the index, or of the manifest where there is no index. */
  readonly digest: string
  readonly config: Descriptor
  readonly layers: readonly Descriptor[]
  /** Digests of the layers as they are unpacked. */
  readonly diffIds: readonly string[]
  readonly settings: ImageSettings
  readonly created?: string | undefined
}

export type ImageAnswer =
  | { readonly kind: 'resolved'; readonly image: ResolvedImage }
  | {
      readonly kind: 'fetched'
      /** Devices and the like, which were not made. */
      readonly leftOut: number
      readonly user: readonly [number, number]
      /** Paths in the root, with every link resolved. */
      readonly volumes: readonly string[]
    }
  /** The registry keeps a part of the image, or its tokens, at another host. */
  | { readonly kind: 'elsewhere'; readonly host: string; readonly port: number }
  | { readonly kind: 'problem'; readonly problem: InstallProblem; readonly why: string }

const digest = z.string().regex(DIGEST)
const words = z.array(z.string().max(20_000)).max(500)
const part: z.ZodType<Descriptor> = z.object({
  digest,
  size: z
    .int()
    .min(0)
    .max(2 ** 40),
  mediaType: z.string().max(200),
})
const image: z.ZodType<ResolvedImage> = z.object({
  digest,
  config: part,
  layers: z.array(part).max(500),
  diffIds: z.array(digest).max(500),
  settings: z.object({
    entrypoint: words,
    command: words,
    environment: words,
    workingFolder: z.string().max(4096),
    user: z.string().max(200),
    volumes: z.array(z.string().max(4096)).max(16),
    mcpName: z.string().max(200).optional(),
  }),
  created: z.string().max(60).optional(),
})
const problem: z.ZodType<InstallProblem> = z.enum([
  'no-such-package',
  'vanished',
  'bad-package',
  'integrity',
  'unsafe-package',
  'registry-login',
  'registry-unreachable',
  'registry-certificate',
  'disk-full',
  'install-failed',
])
const Answer: z.ZodType<ImageAnswer> = z.union([
  z.object({ kind: z.literal('resolved'), image }),
  z.object({
    kind: z.literal('fetched'),
    leftOut: z.int(),
    user: z.tuple([z.int(), z.int()]),
    volumes: z.array(z.string().max(4096)).max(16),
  }),
  z.object({ kind: z.literal('elsewhere'), host: z.string().max(253), port: z.int() }),
  z.object({ kind: z.literal('problem'), problem, why: z.string().max(500) }),
])

/** The last line of the program's output; undefined if it is no answer. */
export function parseImageAnswer(stdout: string): ImageAnswer | undefined {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  try {
    return Answer.safeParse(JSON.parse(last)).data
  } catch {
    return undefined
  }
}
