/**
 * Whether a bubblewrap is new enough. There is one command line for all versions: it has no option that came after the oldest
 * one, so nothing else depends on the version. Pure.
 */
import type { DoctorCheck } from '../text/doctor-check.ts'

/** The first with `--size`, which bounds every tmpfs. */
const OLDEST = [0, 7, 0] as const
const name = 'bubblewrap'

/** Takes what `bwrap --version` printed; undefined if there is none. */
export function judgeBubblewrap(printed: string | undefined): DoctorCheck {
  const version = /\d+\.\d+\.\d+/.exec(printed ?? '')?.[0]
  if (version === undefined) {
    const finding = 'not installed, so no local server can be started'
    return { name, verdict: 'fail', finding, remedy: 'sudo apt-get install bubblewrap' }
  }
  if (isOlder(version.split('.').map(Number))) {
    const finding = `version ${version} is too old, so no local server can be started`
    return {
      name,
      verdict: 'fail',
      finding,
      remedy: `Install bubblewrap ${OLDEST.join('.')} or later`,
    }
  }
  return { name, verdict: 'ok', finding: `version ${version}` }
}

function isOlder(version: readonly number[]): boolean {
  const differing = OLDEST.findIndex((least, at) => version[at] !== least)
  return differing !== -1 && (version[differing] ?? 0) < (OLDEST[differing] ?? 0)
}
