/**
 * One task of the program that pulls images, in the install sandbox. It reaches the registry and the hosts at which the
 * registry says that its tokens and layers are kept: each of those is learned from the registry, by name, one by one.
 */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CordonError } from '../../kernel/error.ts'
import type { StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import type { NpmResult, NpmRun } from '../install/run-npm.ts'
import { runInside } from '../python/run-inside.ts'
import { cannotInstallImage } from './image-errors.ts'
import { type ImageAnswer, type ImageJob, parseImageAnswer } from './image-job.ts'
import type { ImageRegistry } from './image-registry.ts'
import { ROOT_FOLDER } from './image-facts.ts'
import type { WantedImage } from './wanted-image.ts'

export interface ImageTask {
  readonly wanted: WantedImage
  readonly part: PartFolder
  /** With the hosts that were learned so far. */
  readonly registry: ImageRegistry
  readonly watch?: NonNullable<NpmRun['watch']>
}

type Asked = Pick<ImageJob, 'step' | 'image'>

export interface Done<K extends ImageAnswer['kind']> {
  readonly answer: Extract<ImageAnswer, { kind: K }>
  readonly registry: ImageRegistry
}

const SILENCE_MS = 30_000
const MOST_HOSTS = 4
const FULL_NAME = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*$/
/** As Docker names the machine. */
const ARCHITECTURES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' }
export const LIMITS: ImageJob['limits'] = {
  bytes: 2 * 2 ** 30,
  fileBytes: 512 * 2 ** 20,
  entries: 200_000,
}

/** Throws the reason if there is no answer of this kind. */
export async function runImageTask<K extends ImageAnswer['kind']>(
  parts: StepParts,
  task: ImageTask,
  asked: Asked & { readonly kind: K },
  signal: AbortSignal,
): Promise<Done<K>> {
  let { registry } = task
  for (;;) {
    const result = await run(parts, { ...task, registry }, asked, signal)
    const answer = parseImageAnswer(result.stdout)
    if (answer?.kind === asked.kind) return { answer: answer as Done<K>['answer'], registry }
    if (answer?.kind !== 'elsewhere') throw explain(task, answer, result)
    registry = { ...registry, moreHosts: [...registry.moreHosts, next(task, registry, answer)] }
  }
}

/** The host that the registry names for its tokens or its layers. Its address is vetted by the proxy as any other. */
function next(
  { wanted }: ImageTask,
  { port, moreHosts }: ImageRegistry,
  named: Extract<ImageAnswer, { kind: 'elsewhere' }>,
): string {
  const isUsable = FULL_NAME.test(named.host) && named.port === port
  if (isUsable && moreHosts.length < MOST_HOSTS && !moreHosts.includes(named.host)) {
    return named.host
  }
  const shown = JSON.stringify(named.host.slice(0, 80))
  const why = `the registry keeps it at ${shown}, which an install may not reach`
  throw cannotInstallImage('unsafe-package', wanted.what, why)
}

async function run(
  parts: StepParts,
  { wanted, part, registry, watch }: ImageTask,
  { step, image }: Asked,
  signal: AbortSignal,
): Promise<NpmResult> {
  const { host, port, moreHosts } = registry
  const job: ImageJob = {
    step,
    registry: registry.url,
    repository: wanted.reference.repository,
    reference: wanted.version,
    hosts: [host, ...moreHosts].map((one) => `${one}:${port}`),
    cache: part.cache,
    root: path.join(part.tree, ROOT_FOLDER),
    silenceMs: parts.silenceMs ?? SILENCE_MS,
    platform: { architecture: ARCHITECTURES[process.arch] ?? process.arch },
    limits: LIMITS,
    ...(image && { image }),
  }
  const file = path.join(part.notes, 'job.json')
  await writeFile(file, JSON.stringify(job), { mode: 0o644 })
  const task = {
    server: wanted.server,
    part,
    command: 'node',
    args: [workerFile(), file],
    index: registry,
    isPublicOnly: true,
    writePaths: step === 'fetch' ? [part.cache, part.tree] : [],
    ...(watch && { watch }),
  } as const
  return await runInside(parts, task, signal)
}

function explain(
  { wanted, registry }: ImageTask,
  answer: ImageAnswer | undefined,
  { blocked, failed, end, stderr }: NpmResult,
): CordonError {
  const cause = new Error(stderr)
  const host = JSON.stringify(registry.host)
  const no = (problem: Parameters<typeof cannotInstallImage>[0], why: string): CordonError =>
    cannotInstallImage(problem, wanted.what, why, cause)
  if (blocked.length > 0) {
    return no(
      'registry-setting',
      `the registry ${host}, or a host that it names, is at a special address`,
    )
  }
  const [reason] = failed
  if (reason?.startsWith('your proxy')) return no('registry-proxy', reason)
  if (reason !== undefined) {
    const why = reason === 'host cannot be resolved' ? 'has no address' : 'does not answer'
    return no('registry-unreachable', `the registry ${host} ${why}`)
  }
  if (answer?.kind === 'problem') return no(answer.problem, answer.why)
  if (end.kind === 'memory') {
    return no('unsafe-package', 'unpacking it takes more memory than an install may have')
  }
  return no('install-failed', 'the installer ended without an answer')
}

/** Beside this file: `.ts` in development, bundled `.js` when installed. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts')
  return fileURLToPath(
    new URL(isSource ? './image-worker.ts' : './image-worker.js', import.meta.url),
  )
}
