/** The home checks of `cordon doctor`. Read-only: creates nothing, takes no lock. */
import { resolve } from 'node:path'
import type { DoctorCheck } from '../text/doctor-check.ts'
import { errnoOf } from './disk-error.ts'
import { type FolderState, folderState } from './folder-guard.ts'
import { freeBytes, MIN_FREE_BYTES } from './free-space.ts'
import { readHolder } from './holder.ts'
import { homePaths } from './home-paths.ts'

const MIB = 1024 * 1024

export async function homeChecks(path: string): Promise<readonly DoctorCheck[]> {
  const home = resolve(path)
  return [await checkFolder(home), await checkSpace(home), checkLock(home)]
}

async function checkFolder(home: string): Promise<DoctorCheck> {
  const name = 'permissions'
  try {
    return { name, ...FOLDER_VERDICTS[await folderState(home)](home) }
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') {
      return {
        name,
        verdict: 'warn',
        finding: `${home} does not exist yet`,
        remedy: 'Run `cordon up`: it creates the folder',
      }
    }
    return {
      name,
      verdict: 'fail',
      finding: `${home} cannot be looked at (${errnoOf(error) ?? 'unknown error'})`,
      remedy: 'Point CORDON_HOME at a folder of your own',
    }
  }
}

const FOLDER_VERDICTS: Readonly<
  Record<FolderState, (home: string) => Pick<DoctorCheck, 'verdict' | 'finding' | 'remedy'>>
> = {
  private: (home) => ({ verdict: 'ok', finding: `${home} is yours alone` }),
  readable: (home) => ({
    verdict: 'warn',
    finding: `${home} can be read by other users`,
    remedy: `chmod 700 ${shellQuoted(home)}`,
  }),
  writable: (home) => ({
    verdict: 'fail',
    finding: `${home} can be written by other users`,
    remedy: `chmod 700 ${shellQuoted(home)}`,
  }),
  foreign: (home) => ({
    verdict: 'fail',
    finding: `${home} belongs to another user`,
    remedy: 'Point CORDON_HOME at a folder of your own',
  }),
  'not-a-folder': (home) => ({
    verdict: 'fail',
    finding: `${home} is not a folder`,
    remedy: 'Point CORDON_HOME at a folder of your own',
  }),
}

async function checkSpace(home: string): Promise<DoctorCheck> {
  const name = 'disk space'
  const free = await freeBytes(home).catch(() => undefined)
  if (free === undefined) {
    return { name, verdict: 'warn', finding: `the disk of ${home} does not tell its free space` }
  }
  const finding = `${Math.floor(free / MIB)} MiB free for ${home}`
  if (free >= MIN_FREE_BYTES) return { name, verdict: 'ok', finding }
  const remedy = `Free space until at least ${MIN_FREE_BYTES / MIB} MiB are left`
  return { name, verdict: 'fail', finding, remedy }
}

function checkLock(home: string): DoctorCheck {
  const name = 'home lock'
  const holder = readHolder(homePaths(home).lock)
  if (!holder) return { name, verdict: 'ok', finding: 'no process uses the home' }
  const finding = holder.alive
    ? `process ${holder.pid} uses the home`
    : `process ${holder.pid} used the home and ended without closing it; the next start takes over`
  return { name, verdict: 'ok', finding }
}

/** Quotes the path so that it is safe to paste into a shell. */
function shellQuoted(path: string): string {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`
}
