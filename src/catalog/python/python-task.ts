/** One task of the program in the install sandbox, and the reason in one sentence where it fails. */
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { CordonError } from '../../kernel/error.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import type { NpmResult, NpmRun } from '../install/run-npm.ts'
import { cannotInstallPython } from './python-errors.ts'
import type { PythonIndex } from './python-index.ts'
import type { JobAnswer, PythonFacts, PythonJob } from './python-job.ts'
import { parseAnswer } from './spell-lock.ts'
import { runInside } from './run-inside.ts'
import { MODULES } from './spell-start.ts'

export interface PythonTask {
  readonly server: ServerId
  readonly what: string
  readonly part: PartFolder
  readonly python: PythonFacts
  readonly index: PythonIndex
  readonly watch?: NonNullable<NpmRun['watch']>
}

type Asked = Pick<PythonJob, 'step' | 'name'> &
  Partial<Pick<PythonJob, 'extras' | 'specifiers' | 'wheels'>>

const DAY_MS = 24 * 60 * 60_000
/** For dependencies: malicious releases are mostly found and withdrawn within days. */
const YOUNGEST_DAYS = 3
const SILENCE_MS = 30_000

export function hostsOf({ host, port, moreHosts }: PythonIndex): readonly string[] {
  return [`${host}:${port}`, ...moreHosts.map((one) => `${one}:443`)]
}

/** Throws the reason if there is no answer of this kind. */
export async function runPythonTask<K extends JobAnswer['kind']>(
  parts: StepParts,
  task: PythonTask,
  asked: Asked & { readonly answer: K },
  signal: AbortSignal,
): Promise<Extract<JobAnswer, { kind: K }>> {
  const { part, server, index, python, watch } = task
  const { answer: wanted, ...step } = asked
  const site = path.join(part.tree, MODULES)
  const job: PythonJob = {
    extras: [],
    specifiers: '',
    wheels: [],
    ...step,
    index: index.url,
    hosts: hostsOf(index),
    python,
    cache: part.cache,
    site,
    silenceMs: parts.silenceMs ?? SILENCE_MS,
    youngestAt: Date.now() - YOUNGEST_DAYS * DAY_MS,
  }
  const file = path.join(part.notes, 'job.json')
  await writeFile(file, JSON.stringify(job), { mode: 0o644 })
  const args = [workerFile(), file]
  const writePaths = [part.cache, ...(step.step === 'fetch' ? [part.tree] : [])]
  const run = {
    server,
    part,
    command: 'node',
    args,
    index,
    writePaths,
    ...(watch && { watch }),
  } as const
  const result = await runInside(parts, run, signal)
  const answer = parseAnswer(result.stdout)
  if (answer?.kind === wanted) return answer as Extract<JobAnswer, { kind: K }>
  throw explain(task, answer, result)
}

function explain(
  { what, index }: PythonTask,
  answer: JobAnswer | undefined,
  { blocked, failed, end, stderr }: NpmResult,
): CordonError {
  const cause = new Error(stderr)
  const host = JSON.stringify(index.host)
  const no = (problem: Parameters<typeof cannotInstallPython>[0], why: string): CordonError =>
    cannotInstallPython(problem, what, why, cause)
  if (blocked[0] !== undefined) {
    return blocked[0].endsWith(` ${index.host}`)
      ? no('registry-setting', `the Python index ${host} is at a special address`)
      : no('unsafe-package', 'a part of it would come from elsewhere than the Python index')
  }
  const [reason] = failed
  if (reason?.startsWith('your proxy')) return no('registry-proxy', reason)
  if (reason !== undefined) {
    const why = reason === 'host cannot be resolved' ? 'has no address' : 'does not answer'
    return no('registry-unreachable', `the Python index ${host} ${why}`)
  }
  if (answer?.kind === 'problem') return no(answer.problem, answer.why)
  if (end.kind === 'memory')
    return no('unsafe-package', 'unpacking it takes more memory than an install may have')
  return no('install-failed', 'the installer ended without an answer')
}

/** Beside this file: `.ts` in development, bundled `.js` when installed. */
function workerFile(): string {
  const isSource = import.meta.url.endsWith('.ts')
  const name = isSource ? './install-worker.ts' : './python-worker.js'
  return fileURLToPath(new URL(name, import.meta.url))
}
