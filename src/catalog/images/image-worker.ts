/**
 * The program in the install sandbox that pulls an image: looks up what it is made of, or fetches and unpacks its layers.
 * Reads its job from a file and answers by one line of JSON. Runs nothing of the image.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { Elsewhere, ImageError } from './image-error.ts'
import type { ImageAnswer, ImageJob, ResolvedImage } from './image-job.ts'
import { createRegistryClient, type RegistryClient } from './registry-client.ts'
import { resolveImage } from './resolve-image.ts'
import { settleRoot, userIn } from './settle-root.ts'
import { unpackLayer } from './unpack-layer.ts'

async function answerJob(job: ImageJob): Promise<ImageAnswer> {
  const client = createRegistryClient(job, () => void process.stderr.write('+\n'))
  if (job.step === 'resolve') return { kind: 'resolved', image: await resolveImage(client, job) }
  if (!job.image) throw new ImageError('install-failed', 'nothing was resolved')
  return await fetchAll(job, job.image, client)
}

async function fetchAll(
  job: ImageJob,
  image: ResolvedImage,
  client: RegistryClient,
): Promise<ImageAnswer> {
  const { root, cache, limits } = job
  const done = { bytes: 0, entries: 0, leftOut: 0 }
  mkdirSync(root, { recursive: true })
  for (const [at, layer] of image.layers.entries()) {
    const file = path.join(cache, `layer-${at}`)
    await client.file(layer, file)
    await unpackLayer(file, image.diffIds[at] ?? '', { root, limits, done })
    rmSync(file)
  }
  const user = userIn(root, image.settings.user)
  const volumes = settleRoot(root, image.settings)
  return { kind: 'fetched', leftOut: done.leftOut, user, volumes }
}

function problemOf(error: unknown): ImageAnswer {
  if (error instanceof ImageError) {
    return { kind: 'problem', problem: error.problem, why: error.message }
  }
  if (!(error instanceof Elsewhere)) throw error
  const { hostname: host, port } = error.url
  return { kind: 'elsewhere', host, port: Number(port || 443) }
}

/** The sandbox closes the input to ask a program to end. */
process.stdin.on('end', () => {
  // oxlint-disable-next-line unicorn/no-process-exit -- nothing is half written that anybody would use
  process.exit(130)
})
process.stdin.resume().unref()
const [, , file = ''] = process.argv
const job = JSON.parse(readFileSync(file, 'utf8')) as ImageJob
const answer = await answerJob(job).catch(problemOf)
process.stdout.write(`${JSON.stringify(answer)}\n`)
