/**
 * Asks the npm registry for a sign of life, the way an install would: the same settings, sandbox and proxy. For
 * `cordon doctor`; bounded in time, and installs nothing.
 */
import type { DoctorCheck } from '../../text/doctor-check.ts'
import { CordonError } from '../../kernel/error.ts'
import { parseServerId } from '../../kernel/server-id.ts'
import { type NpmTask, pingRegistry, type StepParts } from './npm-task.ts'
import { openPartFolder } from './part-folder.ts'
import { readRegistry, type Registry } from './registry.ts'

const NAME = 'npm registry'
const WHAT = 'a package'
const LONGEST_MS = 10_000

/** `folder` is writable; the attempt leaves nothing in it. */
export async function tryRegistry(
  parts: StepParts,
  folder: string,
  signal: AbortSignal,
): Promise<DoctorCheck> {
  const late = AbortSignal.timeout(LONGEST_MS)
  try {
    const registry = await readRegistry(parts, WHAT)
    await using part = await openPartFolder(folder)
    const task: NpmTask = { server: parseServerId('npm'), what: WHAT, registry, part }
    await pingRegistry(parts, task, AbortSignal.any([signal, late]))
    return { name: NAME, verdict: 'ok', finding: `${registry.host} answers${wayOf(registry)}` }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof CordonError) return troubleOf(error.why ?? error.message, error.hint)
    if (!late.aborted) throw error
    const why = `the npm registry does not answer within ${LONGEST_MS / 1000} seconds`
    return troubleOf(why, 'Check the network and run `npm ping`')
  }
}

function wayOf({ proxy }: Registry): string {
  return proxy ? ` through your proxy ${proxy.host}` : ''
}

/** A warning: servers that come with Cordon, and those that are installed, need no registry. */
function troubleOf(why: string, remedy: string): DoctorCheck {
  return { name: NAME, verdict: 'warn', finding: `nothing can be installed: ${why}`, remedy }
}
