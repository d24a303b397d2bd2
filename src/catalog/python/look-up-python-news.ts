/** The news of the Python index about an installed package: a newer version, or that the one in use was withdrawn. */
import type { ServerId } from '../../kernel/server-id.ts'
import type { StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import { listVersions } from './install-python.ts'
import { compareVersions, isPreRelease, parseVersion } from './version.ts'

interface UsedPython {
  readonly server: ServerId
  readonly name: string
  readonly version: string
  readonly part: PartFolder
}

export async function lookUpPythonNews(
  parts: StepParts,
  used: UsedPython,
  signal: AbortSignal,
): Promise<{ readonly newer?: string; readonly withdrawn?: string }> {
  const own = parseVersion(used.version)
  const all = (await listVersions(parts, used, signal)).flatMap(({ version, isYanked }) => {
    const parsed = parseVersion(version)
    return parsed ? [{ version: parsed, isYanked }] : []
  })
  const newest = all.find(({ version, isYanked }) => !isYanked && !isPreRelease(version))
  const its = all.find(({ version }) => own && compareVersions(version, own) === 0)
  const isNewer = newest && own && compareVersions(newest.version, own) > 0
  const withdrawn = its ? its.isYanked && 'its publisher withdrew it' : 'the index no longer has it'
  return {
    ...(isNewer && { newer: newest.version.text }),
    ...(withdrawn && { withdrawn }),
  }
}
