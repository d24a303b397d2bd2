/**
 * Installs one container image into one folder. The order is the security argument: resolve the digest → compare every
 * part with the digest that names it → fetch and unpack the layers in the install sandbox → seal and hash the files. No
 * program of the image runs. On any failure the caller deletes the folder under construction with everything in it.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { InstallProgress } from '../../ports/catalog-port.ts'
import { finishTree } from '../install/finish-tree.ts'
import { createWatch, type StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import { reasonOf, Unfit } from '../install/unfit.ts'
import { cannotInstallImage } from './image-errors.ts'
import { commandOf, FACTS_FILE, type ImageFacts, spellFacts } from './image-facts.ts'
import type { ResolvedImage } from './image-job.ts'
import { imageName } from './image-reference.ts'
import { readImageRegistry } from './image-registry.ts'
import { runImageTask } from './image-task.ts'
import type { ImageLaunch, WantedImage } from './wanted-image.ts'

export interface ImageInstall {
  readonly wanted: WantedImage
  readonly launch: ImageLaunch
  readonly part: PartFolder
  readonly progress: InstallProgress
}

/** The digest that a tag leads to today. From then on that digest is pinned. */
export async function resolveDigest(
  parts: StepParts,
  wanted: WantedImage,
  part: PartFolder,
  signal: AbortSignal,
): Promise<string> {
  const registry = await readImageRegistry(parts, wanted)
  const asked = { step: 'resolve', kind: 'resolved' } as const
  const { answer } = await runImageTask(parts, { wanted, part, registry }, asked, signal)
  return answer.image.digest
}

export async function installImage(
  parts: StepParts,
  job: ImageInstall,
  signal: AbortSignal,
): Promise<void> {
  const { wanted, launch, part, progress } = job
  const { what } = wanted
  progress(`Looking up ${what}`)
  const start = await readImageRegistry(parts, wanted)
  const asked = { step: 'resolve', kind: 'resolved' } as const
  const found = await runImageTask(parts, { wanted, part, registry: start }, asked, signal)
  const { image } = found.answer
  const bytes = image.layers.reduce((sum, { size }) => sum + size, 0)
  refuseEmpty(image, launch, what)

  const step = `Pulling ${what} in a sandbox`
  progress(step)
  const watch = createWatch((_, got) => progress(step, `${megabytes(got)} of ${megabytes(bytes)}`))
  const { answer, registry } = await runImageTask(
    parts,
    { wanted, part, registry: found.registry, watch },
    { step: 'fetch', kind: 'fetched', image },
    signal,
  )

  progress(`Checking every file of ${what}`)
  const facts: ImageFacts = {
    format: 1,
    image: imageName(wanted.reference),
    digest: image.digest,
    hosts: [registry.host, ...registry.moreHosts],
    ...image.settings,
    user: answer.user,
    volumes: usable(answer.volumes),
    layers: image.layers.map(({ digest }) => digest),
    leftOut: answer.leftOut,
  }
  await finish(job, facts, image)
  signal.throwIfAborted()
}

/** Told before anything is fetched. */
function refuseEmpty(image: ResolvedImage, launch: ImageLaunch, what: string): void {
  const { entrypoint, command } = image.settings
  const isNamed = [...entrypoint, ...command, ...launch.args, launch.entrypoint ?? ''].some(Boolean)
  if (!isNamed) throw cannotInstallImage('bad-package', what, 'it names no program to start')
}

/** Scratch space is mounted there, so a path of the sandbox's own is left to the sandbox. */
const OWN = /^\/(?:(?:|etc|run|tmp|home|opt|usr)$|(?:proc|sys|dev|home\/mcp|opt\/cordon)(?:\/|$))/

function usable(volumes: readonly string[]): string[] {
  return volumes.filter((one) => one === path.resolve(one) && !OWN.test(one))
}

async function finish(
  { wanted, part, launch }: ImageInstall,
  facts: ImageFacts,
  { created, digest, layers }: ResolvedImage,
): Promise<void> {
  const { what } = wanted
  const { tree } = part
  try {
    commandOf(facts, launch)
    await writeFile(path.join(tree, FACTS_FILE), spellFacts(facts))
    await finishTree(tree, () => ({
      package: facts.image,
      version: digest,
      integrity: digest,
      ...(isDate(created) && { publishedAt: new Date(created).toISOString() }),
      packages: layers.length,
      refusedScripts: [],
    }))
  } catch (cause) {
    if (!(cause instanceof Unfit)) throw cause
    throw cannotInstallImage('unsafe-package', what, reasonOf(cause, ''), cause)
  }
}

/** Reproducible builds carry the year 1970, which says nothing. */
function isDate(created: string | undefined): created is string {
  return created !== undefined && Date.parse(created) > Date.parse('2000-01-01')
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
