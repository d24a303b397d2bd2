/**
 * The second wall of a sandbox, as rules for Landlock: the folders that bubblewrap shows, each with the rights that its
 * mount gives, and the ports of the proxy and the tunnels. A hole in one wall is then closed by the other. Pure.
 */
import type { SandboxSettings } from '../../kernel/server-definition.ts'
import type { Beside } from './beside-program.ts'
import { INSIDE_HOME, INSIDE_WORK } from './inside-files.ts'
import type { Mount } from './mount.ts'
import type { Place } from './places.ts'

// LANDLOCK_ACCESS_FS_* of linux/landlock.h. The start program leaves out the rights that the kernel does not know.
const EXECUTE = 1
const WRITE_FILE = 2
const READ_FILE = 4
const READ_DIR = 8
const TRUNCATE = 2 ** 14
const IOCTL_DEV = 2 ** 15
/** REMOVE_DIR, REMOVE_FILE, MAKE_DIR, MAKE_REG, MAKE_SOCK, MAKE_FIFO, MAKE_SYM, REFER: everything but devices. */
const MAKE = [4, 5, 7, 8, 9, 10, 12, 13].reduce((rights, bit) => rights + 2 ** bit, 0)

const SEE = EXECUTE + READ_FILE + READ_DIR
const CHANGE = SEE + WRITE_FILE + TRUNCATE + MAKE
const USE = READ_FILE + READ_DIR + WRITE_FILE + TRUNCATE + IOCTL_DEV

const SYSTEM = [
  '/usr',
  '/bin',
  '/sbin',
  '/lib',
  '/lib32',
  '/lib64',
  '/libx32',
  '/etc',
  '/opt/cordon',
]

export interface WalledSandbox {
  readonly settings: Pick<
    SandboxSettings,
    'readOnlyFs' | 'allowTmp' | 'startsBrowser' | 'ownPorts' | 'image'
  >
  readonly mounts: readonly Mount[]
  readonly beside: readonly Beside[]
  readonly places: readonly Place[]
}

/** `fs:RIGHTS:PATH`, `tcp:PORT` or `tcp:*`, as the start program reads them. A path that does not exist inside has no effect. */
export function landlockRules(sandbox: WalledSandbox): readonly string[] {
  const { settings, mounts, beside, places } = sandbox
  const scratch = ['/run', INSIDE_HOME, '/dev/shm', ...beside.map(({ folder }) => folder)]
  // The root of an image is the image's own, and mounted read-only.
  const system = settings.image ? ['/'] : SYSTEM
  const chosen = [
    ...(settings.image?.volumes ?? []),
    ...(settings.allowTmp ? ['/tmp'] : []),
    ...(settings.readOnlyFs ? [] : [INSIDE_WORK]),
  ]
  return [
    `fs:${READ_DIR}:/`,
    ...system.map((path) => `fs:${SEE}:${path}`),
    // A thread's name is set through /proc.
    ...['/proc', '/dev'].map((path) => `fs:${USE}:${path}`),
    ...[...scratch, ...chosen].map((path) => `fs:${CHANGE}:${path}`),
    ...mounts.map(({ target, writable }) => `fs:${writable ? CHANGE : SEE}:${target}`),
    // A server may drive its browser over a port of the browser's own, which is known only later.
    ...(settings.startsBrowser || settings.ownPorts
      ? ['tcp:*']
      : new Set(places.map(({ port }) => `tcp:${port}`))),
  ]
}
