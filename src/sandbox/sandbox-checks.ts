/** Checks, for `cordon doctor`, whether this machine can make sandboxes. Tries what a start does; leaves nothing. */
import { readFile } from 'node:fs/promises'
import type { DoctorCheck } from '../text/doctor-check.ts'
import { judgeBubblewrap } from './judge-bubblewrap.ts'
import { type CgroupParent, findCgroupParent } from './launch/cgroup.ts'
import { takeOwnGroup } from './launch/own-group.ts'
import { runCommand } from './launch/run-command.ts'
import { sandboxUser } from './launch/unprivileged-user.ts'

const NAMESPACES = ['--unshare-user', '--unshare-net', '--unshare-pid', '--unshare-ipc']
const TRIAL = [...NAMESPACES, '--ro-bind', '/', '/', '--', '/bin/true']

export async function sandboxChecks(signal: AbortSignal): Promise<readonly DoctorCheck[]> {
  await takeOwnGroup()
  return [
    ...(await Promise.all([checkBubblewrap(signal), checkPerl(signal), checkNamespaces()])),
    checkCgroups(),
    await checkLandlock(signal),
  ]
}

async function checkBubblewrap(signal: AbortSignal): Promise<DoctorCheck> {
  const { exitCode, stdout } = await runCommand('bwrap', ['--version'], signal)
  return judgeBubblewrap(exitCode === 0 ? stdout : undefined)
}

/** Perl runs the first program in every sandbox, `start-program.ts`. */
async function checkPerl(signal: AbortSignal): Promise<DoctorCheck> {
  const name = 'perl'
  const { exitCode, stdout } = await runCommand('perl', ['-e', 'print $^V'], signal)
  if (exitCode === 0) return { name, verdict: 'ok', finding: `version ${stdout.slice(1)}` }
  return {
    name,
    verdict: 'fail',
    finding: 'not installed, so no local server can be started',
    remedy: 'sudo apt-get install perl-base',
  }
}

/**
 * Takes milliseconds and is never aborted: bubblewrap killed while it starts can leave a process that waits for ever.
 */
async function checkNamespaces(): Promise<DoctorCheck> {
  const name = 'user namespaces'
  const { exitCode, stderr } = await runCommand(
    'bwrap',
    TRIAL,
    new AbortController().signal,
    sandboxUser(),
  )
  if (exitCode === 0) return { name, verdict: 'ok', finding: 'a sandbox could be made' }
  if (exitCode === undefined) {
    return {
      name,
      verdict: 'fail',
      finding: 'cannot be tried without bubblewrap',
      remedy: 'sudo apt-get install bubblewrap',
    }
  }
  const reason = stderr.split('\n')[0]?.slice(0, 200) ?? ''
  return {
    name,
    verdict: 'fail',
    finding: `a sandbox could not be made (${reason})`,
    remedy: await namespaceRemedy(),
  }
}

async function namespaceRemedy(): Promise<string> {
  const restricted = await readFlag('/proc/sys/kernel/apparmor_restrict_unprivileged_userns')
  if (restricted === '1') return 'sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0'
  const allowed = await readFlag('/proc/sys/kernel/unprivileged_userns_clone')
  if (allowed === '0') return 'sudo sysctl kernel.unprivileged_userns_clone=1'
  const most = await readFlag('/proc/sys/user/max_user_namespaces')
  if (most === '0') return 'sudo sysctl user.max_user_namespaces=10000'
  return 'Run Cordon outside a container, or allow user namespaces in it'
}

/** For the places where `takeOwnGroup` does nothing: a login whose manager ends with it, a service, a machine without systemd. */
const AS_SERVICE =
  'Run `cordon service install`; or start Cordon with: systemd-run --user --scope -p Delegate=yes cordon up. In a service of your own, write Delegate=yes'

/** The part of the tree that systemd hands over to each user, whose manager runs in `user@<uid>.service`. */
const DELEGATED = /\/user@\d+\.service(?:\/|$)/

export function checkCgroups(parent: CgroupParent | undefined = findCgroupParent()): DoctorCheck {
  const name = 'cgroups'
  if (parent) {
    const version = parent.layer === 'cgroup2' ? 'cgroup v2' : 'cgroup v1'
    const kind = DELEGATED.test(parent.folder) ? `${version}, delegated by systemd` : version
    const limits = `${kind}: the kernel limits memory of every kind`
    if (parent.sharesProcessor) {
      return { name, verdict: 'ok', finding: `${limits} and shares the processor fairly` }
    }
    return {
      name,
      verdict: 'warn',
      finding: `${limits}, but nothing shares the processor`,
      remedy: parent.layer === 'cgroup2' ? AS_SERVICE : 'Let Cordon write its cgroup of "cpu"',
    }
  }
  return {
    name,
    verdict: 'warn',
    finding:
      'no cgroup can be written: rlimits and a watchdog limit memory instead, nothing shares the processor, and servers get no memfd or System V memory',
    remedy: AS_SERVICE,
  }
}

/** The start program asks the kernel in the same way, and goes on without Landlock where there is none. */
async function checkLandlock(signal: AbortSignal): Promise<DoctorCheck> {
  const name = 'landlock'
  const ask = 'print syscall(444, 0, 0, 1), " ", $! + 0'
  const { stdout } = await runCommand('perl', ['-e', ask], signal)
  const [abi = -1, problem = 0] = stdout.split(' ').map(Number)
  if (abi >= 2) return { name, verdict: 'ok', finding: `ABI ${abi}: ${wallsOf(abi)}` }
  const why = WITHOUT_LANDLOCK[problem] ?? 'the kernel offers none, or one that is too old'
  return {
    name,
    verdict: 'warn',
    finding: `no second wall inside sandboxes: ${why}`,
    remedy: 'Start a kernel of version 5.19 or later with "landlock" in its list of lsm=',
  }
}

/** By the error of the system call: ENOSYS, EOPNOTSUPP. */
const WITHOUT_LANDLOCK: Readonly<Record<number, string>> = {
  38: 'the kernel was built without it',
  95: 'it is switched off at boot',
}

function wallsOf(abi: number): string {
  const walls = ['files', ...(abi >= 4 ? ['TCP'] : []), ...(abi >= 6 ? ['signals'] : [])]
  return `a second wall inside every sandbox, for ${walls.join(', ')}`
}

async function readFlag(path: string): Promise<string | undefined> {
  return await readFile(path, 'utf8').then(
    (text) => text.trim(),
    () => undefined,
  )
}
