/**
 * The program in the install sandbox: resolves a Python package against the index, or fetches and unpacks what was locked.
 * Everything it reads is untrusted, and it runs none of it. Its job is a file, its answer one line of JSON.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import type { AskParts } from './ask-index.ts'
import { createIndexSource, type IndexSource, type WheelCandidate } from './index-source.ts'
import { isFull } from '../install/fetch-to-file.ts'
import { JobError } from './job-error.ts'
import type { JobAnswer, LockedWheel, PythonJob } from './python-job.ts'
import { resolve } from './resolve.ts'
import { parseSpecifiers } from './specifier.ts'
import { Unfit } from '../install/unfit.ts'
import { unpackWheel, type UnpackPlace } from './unpack-wheel.ts'
import { parseVersion, spellVersion } from './version.ts'

/** Set for this process alone, and sent to the index alone. */
const LOGIN_VARIABLE = 'CORDON_INDEX_AUTHORIZATION'

async function answerJob(job: PythonJob): Promise<JobAnswer> {
  // oxlint-disable-next-line node/no-process-env -- this is a program of its own; its login comes in the environment
  const authorization = process.env[LOGIN_VARIABLE]
  const parts: AskParts = {
    hosts: job.hosts,
    silenceMs: job.silenceMs,
    answered: () => void process.stderr.write('+\n'),
    ...(authorization !== undefined && { authorization }),
  }
  const source = createIndexSource(job, parts)
  if (job.step === 'resolve') return await resolveAll(job, source)
  if (job.step === 'fetch') return await fetchAll(job, source)
  const all = await source.candidates(job.name)
  const versions = all.map(({ version, isYanked }) => ({
    version: spellVersion(version),
    isYanked,
  }))
  return { kind: 'versions', versions }
}

async function resolveAll(job: PythonJob, source: IndexSource): Promise<JobAnswer> {
  const { name, extras, python } = job
  const specifiers = parseSpecifiers(job.specifiers)
  if (!specifiers) throw new JobError('bad-package', 'its version cannot be read')
  const found = await resolve({ name, extras, specifiers }, source, python.markers)
  const own = found.find((one) => one.name === name)
  if (!own) throw new JobError('no-such-package', 'the Python index knows nothing of it')
  const { author } = await source.metadata(own)
  const { uploadedAt } = own.wheel
  return {
    kind: 'resolved',
    wheels: found.map(lockedOf),
    claims: {
      ...(author !== undefined && { author: author.slice(0, 200) }),
      ...(uploadedAt !== undefined && { uploadedAt }),
      isYanked: own.isYanked,
    },
  }
}

function lockedOf({ name, version, wheel }: WheelCandidate): LockedWheel {
  const { file, url, sha256, metadata } = wheel
  const beside = typeof metadata === 'string' ? { metadata } : {}
  return { name, version: spellVersion(version), file, url, sha256, ...beside }
}

async function fetchAll(job: PythonJob, source: IndexSource): Promise<JobAnswer> {
  const place: UnpackPlace = {
    site: job.site,
    standard: new Set(job.python.standard),
    taken: new Map(),
  }
  mkdirSync(job.site, { recursive: true })
  const refused: string[] = []
  for (const wheel of job.wheels) {
    const version = parseVersion(wheel.version)
    if (!version) throw new JobError('bad-package', 'a version in the lock cannot be read')
    const { name, metadata } = wheel
    const bytes = await source.provide(wheel)
    const only = {
      name,
      version,
      bytes,
      ...(metadata !== undefined && { metadataSha256: metadata }),
    }
    const left = naming(job.name, name, () => unpackWheel(only, place))
    if (left.length > 0) refused.push(name)
  }
  return { kind: 'fetched', refused }
}

/** A dependency's fault is told with its name. */
function naming<T>(wanted: string, name: string, run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (!(error instanceof Unfit) || name === wanted) throw error
    throw new Unfit(`in ${JSON.stringify(name)}, which it needs: ${error.message}`, {
      cause: error,
    })
  }
}

function problemOf(error: unknown): JobAnswer {
  if (error instanceof JobError)
    return { kind: 'problem', problem: error.problem, why: error.message }
  if (error instanceof Unfit)
    return { kind: 'problem', problem: 'unsafe-package', why: error.message }
  if (isFull(error)) return { kind: 'problem', problem: 'disk-full', why: 'the disk is full' }
  throw error
}

/** The sandbox closes the input to ask a program to end. */
process.stdin.on('end', () => {
  // oxlint-disable-next-line unicorn/no-process-exit -- nothing is half written that anybody would use
  process.exit(130)
})
process.stdin.resume().unref()
const [, , file = ''] = process.argv
const job = JSON.parse(readFileSync(file, 'utf8')) as PythonJob
const answer = await answerJob(job).catch(problemOf)
process.stdout.write(`${JSON.stringify(answer)}\n`)
