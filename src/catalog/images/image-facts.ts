/** `image.json` beside an unpacked root file system: what the image says of its program, and who it runs as. */
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { z } from 'zod'
import type { ImageRoot } from '../../kernel/image-root.ts'
import { parseMcpName } from '../install/find-entry.ts'
import { Unfit } from '../install/unfit.ts'
import type { ImageLaunch } from './wanted-image.ts'

export const FACTS_FILE = 'image.json'
export const ROOT_FOLDER = 'rootfs'

export interface ImageFacts {
  readonly format: 1
  readonly image: string
  readonly digest: string
  /** Hosts that were reached for it. */
  readonly hosts: readonly string[]
  readonly entrypoint: readonly string[]
  readonly command: readonly string[]
  /** `NAME=value` */
  readonly environment: readonly string[]
  readonly workingFolder: string
  readonly user: readonly [number, number]
  readonly volumes: readonly string[]
  readonly layers: readonly string[]
  /** Devices and the like, which were not made. */
  readonly leftOut: number
  /** As its label says; untrusted. */
  readonly mcpName?: string | undefined
}

const words = z.array(z.string())
const Facts: z.ZodType<ImageFacts> = z.object({
  format: z.literal(1),
  image: z.string(),
  digest: z.string(),
  hosts: words,
  entrypoint: words,
  command: words,
  environment: words,
  workingFolder: z.string(),
  user: z.tuple([z.int(), z.int()]),
  volumes: words,
  layers: words,
  leftOut: z.int(),
  mcpName: z.string().optional(),
})

export function spellFacts(facts: ImageFacts): string {
  return `${JSON.stringify(facts, undefined, 2)}\n`
}

/** Throws an ordinary error if the file is missing or malformed. */
export function readFacts(file: string): ImageFacts {
  return Facts.parse(JSON.parse(readFileSync(file, 'utf8')))
}

/** The name in the official registry that the image in a finished folder claims. */
export function readImageMcpName(folder: string): string | undefined {
  return parseMcpName(readFacts(path.join(folder, FACTS_FILE)).mcpName)
}

/** The program with its arguments, as `docker run` combines them. Throws `Unfit` if the image has none. */
export function commandOf(facts: ImageFacts, launch: ImageLaunch): readonly string[] {
  const { entrypoint: other, args } = launch
  const given = other === undefined ? facts.entrypoint : [other]
  const rest = args.length > 0 ? args : other === undefined ? facts.command : []
  const words = [...given, ...rest]
  if ((words[0] ?? '') === '') throw new Unfit('it names no program to start')
  return words
}

const VARIABLE = /^([A-Za-z_]\w*)=([^]*)$/
/** The way out of the sandbox is not the image's to choose. */
const NOT_TAKEN = /^(?:(?:https?|all|no)_proxy|HOME)$/i

export function rootOf(file: string, facts: ImageFacts, launch: ImageLaunch): ImageRoot {
  const [uid, gid] = facts.user
  const variables = facts.environment.flatMap((text): [string, string][] => {
    const [, name = '', value = ''] = VARIABLE.exec(text) ?? []
    return name === '' || NOT_TAKEN.test(name) ? [] : [[name, value]]
  })
  return {
    root: path.join(path.dirname(file), ROOT_FOLDER),
    workingFolder: launch.workingFolder ?? facts.workingFolder,
    user: launch.user === undefined ? { uid, gid } : launch.user,
    environment: { ...Object.fromEntries(variables), ...launch.environment },
    volumes: facts.volumes,
    shownAt: launch.shownAt ?? {},
  }
}
