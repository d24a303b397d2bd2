/**
 * The candidates of a package, from the index: wheels only, each with a SHA-256, made for this machine, the best one of
 * each version. Says why if there is none.
 */
import { hash } from 'node:crypto'
import { existsSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { Unfit } from '../install/unfit.ts'
import { type AskParts, askIndex, fetchFile } from './ask-index.ts'
import { ACCEPT, type IndexFile, parseIndexPage } from './index-page.ts'
import { JobError } from './job-error.ts'
import { type Metadata, parseMetadata } from './metadata.ts'
import type { LockedWheel, PythonJob } from './python-job.ts'
import type { Candidate, Source } from './resolve.ts'
import { accepts, parseSpecifiers } from './specifier.ts'
import { readInfo } from './unpack-wheel.ts'
import { compareVersions, parseVersion, spellVersion, type Version } from './version.ts'
import { parseWheelName, rankOf, supportedTags, type WheelName } from './wheel-name.ts'

export interface WheelCandidate extends Candidate {
  readonly wheel: IndexFile & { readonly sha256: string }
}

export interface IndexSource extends Source<WheelCandidate> {
  /** The wheel in the cache; fetched and compared with its hash first, if it is not there. */
  provide(wheel: Pick<LockedWheel, 'url' | 'sha256' | 'file'>): Promise<Buffer>
}

export function createIndexSource(job: PythonJob, parts: AskParts): IndexSource {
  const tags = supportedTags(job.python)
  const pages = new Map<string, Promise<readonly WheelCandidate[]>>()
  const read = new Map<string, Promise<Metadata>>()
  const provide: IndexSource['provide'] = async ({ url, sha256, file }) => {
    const kept = path.join(job.cache, `${sha256}.whl`)
    if (!existsSync(kept)) await fetchChecked(parts, { url, sha256, file }, kept)
    return readFileSync(kept)
  }
  const look = async (name: string): Promise<readonly WheelCandidate[]> => {
    const page = await askIndex(parts, `${job.index}${name}/`, ACCEPT)
    if (!page)
      throw new JobError('no-such-package', `the Python index knows no ${JSON.stringify(name)}`)
    const files = parseIndexPage(page.text, page.type, page.url)
    return choose(name, files, job, tags)
  }
  const describe = async (candidate: WheelCandidate): Promise<Metadata> => {
    const { name, version, wheel } = candidate
    const text = await metadataOf(parts, wheel, async () => {
      const bytes = await provide(wheel)
      return readInfo({ name, version, bytes }, 'METADATA')
    })
    const found = parseMetadata(text)
    if (found.name !== name || compareVersions(found.version, version) !== 0) {
      throw new JobError(
        'integrity',
        `the description of ${JSON.stringify(name)} is of another package`,
      )
    }
    return found
  }
  return {
    provide,
    candidates: (name) => remember(pages, name, () => look(name)),
    metadata: (candidate) => remember(read, candidate.wheel.sha256, () => describe(candidate)),
  }
}

function remember<T>(
  known: Map<string, Promise<T>>,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const found = known.get(key) ?? make()
  known.set(key, found)
  return found
}

async function fetchChecked(
  parts: AskParts,
  { url, sha256, file }: Pick<LockedWheel, 'url' | 'sha256' | 'file'>,
  kept: string,
): Promise<void> {
  const loaded = await fetchFile(parts, url, `${kept}.part`)
  const shown = JSON.stringify(file.slice(0, 120))
  if (loaded === undefined) throw new JobError('vanished', `${shown} is gone from the Python index`)
  if (loaded !== sha256) {
    throw new JobError('integrity', `${shown} is not the file that the Python index announced`)
  }
  renameSync(`${kept}.part`, kept)
}

/** From the file beside the wheel where the index has one, otherwise from the wheel itself. */
async function metadataOf(
  parts: AskParts,
  { url, file, metadata }: IndexFile,
  fromWheel: () => Promise<string | undefined>,
): Promise<string> {
  const beside =
    typeof metadata === 'string' ? await askIndex(parts, `${url}.metadata`, '*/*') : undefined
  if (beside) {
    if (hash('sha256', beside.text, 'hex') !== metadata) {
      throw new JobError(
        'integrity',
        `the description of ${JSON.stringify(file)} is not what was announced`,
      )
    }
    return beside.text
  }
  const text = await fromWheel()
  if (text === undefined) throw new Unfit('its description is missing')
  return text
}

function choose(
  name: string,
  files: readonly IndexFile[],
  job: PythonJob,
  tags: ReadonlyMap<string, number>,
): readonly WheelCandidate[] {
  const wheels = files.flatMap((file) => {
    const parsed = parseWheelName(file.file)
    return parsed?.name === name ? [{ file, parsed }] : []
  })
  const fitting = wheels.filter(({ parsed }) => rankOf(parsed, tags) !== undefined)
  const hashed = fitting.flatMap(({ file, parsed }) =>
    file.sha256 === undefined ? [] : [{ file: { ...file, sha256: file.sha256 }, parsed }],
  )
  const usable = hashed.filter(({ file }) => takesPython(file, job))
  if (usable.length === 0) {
    throw noneFor(
      name,
      {
        files: files.length,
        wheels: wheels.length,
        fitting: fitting.length,
        hashed: hashed.length,
      },
      job,
    )
  }
  return bestOfEach(usable, tags).map(({ file, parsed }) => ({
    name,
    version: parsed.version,
    isYanked: file.isYanked,
    isYoung: (file.uploadedAt ?? 0) > job.youngestAt,
    wheel: file,
  }))
}

function takesPython({ requiresPython }: IndexFile, { python }: PythonJob): boolean {
  if (requiresPython === undefined) return true
  const specifiers = parseSpecifiers(requiresPython)
  const version = parseVersion(python.full)
  return specifiers !== undefined && version !== undefined && accepts(specifiers, version)
}

interface Found {
  readonly file: IndexFile & { readonly sha256: string }
  readonly parsed: WheelName
}

/** Newest version first, and of each version the wheel that fits this machine best. */
function bestOfEach(found: readonly Found[], tags: ReadonlyMap<string, number>): readonly Found[] {
  const rank = ({ parsed }: Found): number => rankOf(parsed, tags) ?? Number.MAX_SAFE_INTEGER
  const sorted = [...found].sort(
    (a, b) => compareVersions(b.parsed.version, a.parsed.version) || rank(a) - rank(b),
  )
  const spelled = (version: Version): string => spellVersion(version)
  const seen = new Set<string>()
  return sorted.filter(({ parsed }) => {
    const isFirst = !seen.has(spelled(parsed.version))
    seen.add(spelled(parsed.version))
    return isFirst
  })
}

interface Counts {
  readonly files: number
  readonly wheels: number
  readonly fitting: number
  readonly hashed: number
}

function noneFor(name: string, counts: Counts, { python }: PythonJob): JobError {
  const shown = JSON.stringify(name)
  if (counts.files === 0)
    return new JobError('no-such-package', `the Python index has no file of ${shown}`)
  const why =
    counts.wheels === 0
      ? `${shown} comes as source only, which would have to run code to be installed`
      : counts.fitting === 0
        ? `${shown} has no wheel for this kind of machine and Python ${python.full}`
        : counts.hashed === 0
          ? `${shown} comes without a SHA-256`
          : `${shown} needs another Python than ${python.full}`
  return new JobError('bad-package', why)
}
