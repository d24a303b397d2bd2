/**
 * A sandbox as arguments for bubblewrap: every namespace, only the needed paths mounted, all of them read-only but the
 * declared writable ones and small tmpfs scratch space. Pure: reads nothing of the machine, and the same launch always
 * gives the same arguments.
 */
import type { ImageRoot } from '../../kernel/image-root.ts'
import type { SandboxSettings } from '../../kernel/server-definition.ts'
import { isInScratch } from './folder-to-make.ts'
import { INSIDE_CORDON, INSIDE_HOME, INSIDE_USER, INSIDE_WORK } from './inside-files.ts'
import type { Beside } from './beside-program.ts'
import type { Mount } from './mount.ts'

const MB = 2 ** 20
const SCRATCH_BYTES = 16 * MB
const TMP_BYTES = 64 * MB
const WORK_BYTES = 256 * MB

export interface Profile {
  readonly settings: Pick<SandboxSettings, 'readOnlyFs' | 'allowTmp' | 'image'>
  /** Arguments that mount the system's programs, libraries and certificates. */
  readonly system: readonly string[]
  /** The server's own folders, mounted after the system's. */
  readonly mounts: readonly Mount[]
  /** Folders below the mounts in which the server may make files. */
  readonly beside: readonly Beside[]
  /** Files to create: path inside to the descriptor that their content is read from. */
  readonly files: ReadonlyMap<string, number>
  readonly seccompDescriptor: number
  readonly infoDescriptor: number
}

export function bubblewrapArguments(profile: Profile): readonly string[] {
  const { allowTmp, readOnlyFs, image } = profile.settings
  const [root, others] = partition(profile.mounts)
  return [
    namespaces(image?.user ?? INSIDE_USER),
    root.flatMap(bind),
    profile.system,
    ...[...profile.files].map(image ? fileOver : file),
    PROC_AND_DEVICES,
    scratch('/run', SCRATCH_BYTES, '0755'),
    scratch(INSIDE_HOME, SCRATCH_BYTES, '0700'),
    allowTmp ? scratch('/tmp', TMP_BYTES, '1777') : [],
    readOnlyFs ? [] : scratch(INSIDE_WORK, WORK_BYTES, '0700'),
    scratchIn(image),
    ...others.map(bind),
    ...profile.beside.map((one) => around(one, profile.mounts)),
    // Last of the mounts: the root itself, in which the mount points above were created, becomes read-only.
    image ? ['--remount-ro', INSIDE_CORDON] : [],
    ['--remount-ro', '/'],
    ['--chdir', workingFolder(image, readOnlyFs)],
    ['--seccomp', String(profile.seccompDescriptor)],
    ['--info-fd', String(profile.infoDescriptor)],
  ].flat()
}

function namespaces({ uid, gid }: typeof INSIDE_USER): readonly string[] {
  return [
    ['--unshare-user', '--uid', String(uid), '--gid', String(gid)],
    ['--unshare-pid', '--unshare-net', '--unshare-ipc', '--unshare-uts', '--unshare-cgroup-try'],
    ['--hostname', 'sandbox', '--cap-drop', 'ALL', '--new-session', '--die-with-parent'],
  ].flat()
}

function scratchIn(image: ImageRoot | undefined): readonly string[] {
  if (!image) return []
  const volumes = image.volumes.flatMap((folder) => scratch(folder, TMP_BYTES, '1777'))
  return [...volumes, ...(isInScratch(image) ? ['--dir', image.workingFolder] : [])]
}

function workingFolder(image: ImageRoot | undefined, readOnlyFs: boolean): string {
  if (image) return image.workingFolder
  return readOnlyFs ? INSIDE_HOME : INSIDE_WORK
}

function partition(mounts: readonly Mount[]): readonly [readonly Mount[], readonly Mount[]] {
  return [mounts.filter(({ isRoot }) => isRoot), mounts.filter(({ isRoot }) => !isRoot)]
}

/**
 * Settings that runtimes and allocators read, and a random number anew for each reader. The rest of `/proc/sys` tells who this
 * machine is (`boot_id`) and what goes on in all of it (`file-nr`).
 */
const SEEN_SETTINGS = [
  'kernel/osrelease',
  'kernel/pid_max',
  'kernel/cap_last_cap',
  'kernel/random/uuid',
  'vm/overcommit_memory',
  'vm/max_map_count',
  'net/core/somaxconn',
  'fs/inotify/max_user_watches',
]

/** A /dev made by hand: bubblewrap's `--dev` needs a second user namespace, and may grow to half the memory. */
const PROC_AND_DEVICES = [
  ['--proc', '/proc'],
  ['--size', '65536', '--tmpfs', '/proc/sys'],
  ...SEEN_SETTINGS.flatMap((name) => {
    return ['--ro-bind-try', `/proc/sys/${name}`, `/proc/sys/${name}`]
  }),
  ['--remount-ro', '/proc/sys'],
  // Hides the first process, bubblewrap: without Yama, every process of its user could rewrite it through /proc/1/mem.
  ['--perms', '0555', '--size', '4096', '--tmpfs', '/proc/1', '--remount-ro', '/proc/1'],
  ['--size', String(MB), '--tmpfs', '/dev'],
  ...['null', 'zero', 'full', 'random', 'urandom'].map((name) => {
    return ['--dev-bind', `/dev/${name}`, `/dev/${name}`]
  }),
  ['--symlink', '/proc/self/fd', '/dev/fd'],
  ...['stdin', 'stdout', 'stderr'].map((name, descriptor) => {
    return ['--symlink', `/proc/self/fd/${descriptor}`, `/dev/${name}`]
  }),
  scratch('/dev/shm', SCRATCH_BYTES, '1777'),
  ['--remount-ro', '/dev'],
].flat()

function file([path, descriptor]: readonly [string, number]): readonly string[] {
  return ['--perms', '0444', '--file', String(descriptor), path]
}

/** Over a file of an image, which is read-only and can be given no new files. */
function fileOver([path, descriptor]: readonly [string, number]): readonly string[] {
  return ['--perms', '0444', '--ro-bind-data', String(descriptor), path]
}

function scratch(path: string, bytes: number, mode: string): readonly string[] {
  return ['--perms', mode, '--size', String(bytes), '--tmpfs', path]
}

/** A tmpfs in place of the folder, and in it everything that was there, read-only. */
function around({ root, folder, names }: Beside, mounts: readonly Mount[]): readonly string[] {
  const mount = mounts.find(({ target }) => target === root)
  if (!mount) return []
  const source = mount.source + folder.slice(root.length)
  const binds = names.map((name) => {
    return bind({ source: `${source}/${name}`, target: `${folder}/${name}`, writable: false })
  })
  return [scratch(folder, SCRATCH_BYTES, '0755'), ...binds].flat()
}

function bind(mount: Mount): readonly string[] {
  return [mount.writable ? '--bind' : '--ro-bind', mount.source, mount.target]
}
