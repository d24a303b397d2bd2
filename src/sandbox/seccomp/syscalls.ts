/** System call numbers of the two architectures Cordon runs on. Data only. */
export type Architecture = 'x64' | 'arm64'

/** [x64, arm64]; null where the architecture has no such call. */
type Numbers = readonly [number, number | null]

type Inspected =
  | 'clone'
  | 'close_range'
  | 'ioctl'
  | 'socket'
  | 'socketpair'
  | 'setsockopt'
  | 'sendto'
  | 'sendmsg'
  | 'sendmmsg'
  | 'fcntl'
  | 'mmap'
  | 'memfd_create'
  | 'shmget'
  | 'madvise'
  | 'prctl'
  | 'preadv2'
  | 'fadvise64'
  | 'inotify_add_watch'
  | 'open'
  | 'openat'
  | 'creat'
  | 'chmod'
  | 'fchmod'
  | 'fchmodat'
  | 'fchmodat2'
  | 'mkdir'
  | 'mkdirat'

/** Calls that are allowed or refused by their arguments. */
export const INSPECTED: Readonly<Record<Inspected, Numbers>> = {
  clone: [56, 220],
  close_range: [436, 436],
  ioctl: [16, 29],
  socket: [41, 198],
  socketpair: [53, 199],
  setsockopt: [54, 208],
  sendto: [44, 206],
  sendmsg: [46, 211],
  sendmmsg: [307, 269],
  fcntl: [72, 25],
  mmap: [9, 222],
  memfd_create: [319, 279],
  shmget: [29, 194],
  madvise: [28, 233],
  prctl: [157, 167],
  preadv2: [327, 286],
  fadvise64: [221, 223],
  inotify_add_watch: [254, 27],
  open: [2, null],
  openat: [257, 56],
  creat: [85, null],
  chmod: [90, null],
  fchmod: [91, 52],
  fchmodat: [268, 53],
  fchmodat2: [452, 452],
  mkdir: [83, null],
  mkdirat: [258, 34],
}

/** Memory that belongs to no process, so only a cgroup counts it. ENOSYS where there is none. */
export const UNCOUNTED: Readonly<Record<string, Numbers>> = {
  memfd_create: [319, 279],
  shmget: [29, 194],
  semget: [64, 190],
  msgget: [68, 186],
}

/**
 * Answered with EINVAL, as for files that cannot do it, after which copying programs read and write: a pipe or socket holds a huge
 * page of a file by one byte of it, when the file was cut short, and nothing counts the page.
 */
export const UNFIT: Readonly<Record<string, Numbers>> = {
  splice: [275, 76],
  tee: [276, 77],
  sendfile: [40, 71],
}

type OwnWall =
  | 'prctl'
  | 'seccomp'
  | 'landlock_create_ruleset'
  | 'landlock_add_rule'
  | 'landlock_restrict_self'

/** Calls that the start program makes last, and no server may. */
export const OWN_WALLS: Readonly<Record<OwnWall, Numbers>> = {
  prctl: [157, 167],
  seccomp: [317, 277],
  landlock_create_ruleset: [444, 444],
  landlock_add_rule: [445, 445],
  landlock_restrict_self: [446, 446],
}

/** Answered with ENOSYS, so that programs fall back to older calls, whose arguments the filter can inspect. */
export const ABSENT: Readonly<Record<string, Numbers>> = {
  clone3: [435, 435],
  openat2: [437, 437],
  // A pipe holds a huge page by one byte of it after the page was unmapped, so that nothing counts the page
  vmsplice: [278, 75],
  // Counted for the whole machine (fs.aio-max-nr): one server could take them all, from every database on it
  io_setup: [206, 0],
  // Tells which pages of a file are in memory, and so which programs others start
  cachestat: [451, 451],
  mincore: [27, 232],
  // Takes any advice on the process itself, around the rule about `madvise`
  process_madvise: [440, 440],
  // Answer about every file system of the machine by its number, whoever has mounted it
  ustat: [136, null],
  sysfs: [139, null],
  io_uring_setup: [425, 425],
  io_uring_enter: [426, 426],
  io_uring_register: [427, 427],
}

/** Answered with EPERM: no server of tools has a use for these. */
export const REFUSED: Readonly<Record<string, Numbers>> = {
  // Other processes' memory and descriptors
  ptrace: [101, 117],
  process_vm_readv: [310, 270],
  process_vm_writev: [311, 271],
  pidfd_getfd: [438, 438],
  kcmp: [312, 272],
  move_pages: [279, 239],
  // Keyrings, which no namespace separates
  add_key: [248, 217],
  request_key: [249, 218],
  keyctl: [250, 219],
  // Large attack surface of the Linux kernel
  bpf: [321, 280],
  perf_event_open: [298, 241],
  userfaultfd: [323, 282],
  fanotify_init: [300, 262],
  memfd_secret: [447, 447],
  lookup_dcookie: [212, 18],
  modify_ldt: [154, null],
  iopl: [172, null],
  ioperm: [173, null],
  // Mounts and namespaces
  mount: [165, 40],
  umount2: [166, 39],
  pivot_root: [155, 41],
  chroot: [161, 51],
  unshare: [272, 97],
  setns: [308, 268],
  open_tree: [428, 428],
  move_mount: [429, 429],
  fsopen: [430, 430],
  fsconfig: [431, 431],
  fsmount: [432, 432],
  fspick: [433, 433],
  mount_setattr: [442, 442],
  open_tree_attr: [467, 467],
  // Files by handle, which bypasses every folder's permissions, and device files
  name_to_handle_at: [303, 264],
  open_by_handle_at: [304, 265],
  mknod: [133, null],
  mknodat: [259, 33],
  // The machine itself
  kexec_load: [246, 104],
  kexec_file_load: [320, 294],
  init_module: [175, 105],
  finit_module: [313, 273],
  delete_module: [176, 106],
  swapon: [167, 224],
  swapoff: [168, 225],
  reboot: [169, 142],
  syslog: [103, 116],
  acct: [163, 89],
  quotactl: [179, 60],
  quotactl_fd: [443, 443],
  settimeofday: [164, 170],
  clock_settime: [227, 112],
  adjtimex: [159, 171],
  clock_adjtime: [305, 266],
}

/** The number of a call on this architecture; undefined where the call does not exist. */
export function numberOn(architecture: Architecture, numbers: Numbers): number | undefined {
  return (architecture === 'x64' ? numbers[0] : numbers[1]) ?? undefined
}
