/** The attempts to break out, by number: how Cordon must stop each, and on which contender each succeeds. */
import type { NaiveName } from './naive.ts'
import type { Kind } from './verdict.ts'

export interface Attempt {
  readonly title: string
  /** Behind Cordon, every way of the attempt must be stopped for this reason and no other. */
  readonly stoppedBy: RegExp
  /** The naive contender on which the attempt succeeds, which proves that the attempt works; `plain` by default. */
  readonly naive?: NaiveName
}

const isRoot = process.getuid?.() === 0

export const ATTEMPTS: Readonly<Record<number, Attempt>> = {
  1: { title: 'read a private key in the home', stoppedBy: /^ENOENT$/ },
  2: { title: 'read /etc/shadow', stoppedBy: /^ENOENT$/ },
  3: { title: 'list the homes', stoppedBy: /^(ENOENT|only its own home)$/ },
  4: { title: 'write to the system or its package', stoppedBy: /^EROFS$/, naive: 'writable' },
  5: {
    title: 'find a secret of the host in an environment',
    stoppedBy: /^(not in its own|found in no other process)$/,
    naive: 'secluded',
  },
  6: { title: 'find its secret in a command line', stoppedBy: /^found in no other process$/ },
  7: { title: 'show its secret in the host’s process list', stoppedBy: /^in no command line$/ },
  8: { title: 'open core_pattern for writing', stoppedBy: /^ENOENT$/ },
  9: { title: 'reach /sys or sysrq', stoppedBy: /^(ENOENT|EACCES)$/ },
  10: { title: 'have a planted link mounted', stoppedBy: /^sandbox\.path$/ },
  11: { title: 'use a descriptor that Cordon inherited', stoppedBy: /^a child has 0 1 2 3$/ },
  12: { title: 'fill the memory with files', stoppedBy: /^ENOSPC$/, naive: 'unsized' },
  13: { title: 'signal or see a process of the host', stoppedBy: /^(ESRCH|ENOENT)$/ },
  14: { title: 'trace a process', stoppedBy: /^EPERM$/ },
  15: { title: 'leave a daemon behind', stoppedBy: /^gone with its server$/ },
  16: { title: 'outlive a Cordon that was killed', stoppedBy: /^gone with Cordon$/ },
  17: { title: 'fork without end', stoppedBy: /^EAGAIN$/ },
  18: { title: 'take memory on the heap', stoppedBy: /^ended as memory$/ },
  19: { title: 'take memory beside the heap', stoppedBy: /^ended as memory$/ },
  20: { title: 'flood its host with one line', stoppedBy: /^writes without end$/ },
  21: {
    title: 'gain rights by set-user-id',
    stoppedBy: /^still 1000, NoNewPrivs 1$/,
    naive: 'unprivileged',
  },
  22: { title: 'type into a terminal', stoppedBy: /^(ENOENT|EPERM)$/ },
  23: { title: 'make a user namespace', stoppedBy: /^(EPERM|ENOSYS)$/ },
  24: { title: 'mount, or change its root', stoppedBy: /^EPERM$/ },
  25: { title: 'set up io_uring', stoppedBy: /^ENOSYS$/ },
  26: { title: 'use the kernel’s keyrings', stoppedBy: /^EPERM$/ },
  27: { title: 'open sockets of other families', stoppedBy: /^(EAFNOSUPPORT|EPERM)$/ },
  28: { title: 'load BPF, watch events or handle page faults', stoppedBy: /^EPERM$/ },
  29: { title: 'make a device', stoppedBy: /^EPERM$/ },
  30: { title: 'attach shared memory of the host', stoppedBy: /^(ENOENT|ENOSYS)$/ },
  31: { title: 'make x32 calls', stoppedBy: /^ENOSYS$/ },
  32: { title: 'reach an abstract socket of the host', stoppedBy: /^EAFNOSUPPORT$/ },
  33: { title: 'reach a daemon’s socket file', stoppedBy: /^(EAFNOSUPPORT|ENOENT)$/ },
  34: { title: 'reach a service on the host’s loopback', stoppedBy: /^(ECONNREFUSED|EACCES)$/ },
  35: {
    title: 'reach the metadata service or a neighbour',
    stoppedBy: /^(ENETUNREACH|EACCES)$/,
  },
  36: { title: 'ask a public resolver', stoppedBy: /^ENETUNREACH$/ },
  37: { title: 'look up a name', stoppedBy: /^EAI_AGAIN$/ },
  38: {
    title: 'reach a host that is not allowed',
    stoppedBy: /^(403 host is not allowed|no lookup|the owner was told)$/,
  },
  39: {
    title: 'tell a secret by the name it asks for',
    stoppedBy: /^(403 host is not allowed|no lookup|the owner was told)$/,
  },
  40: {
    title: 'reach an address, however it is spelled',
    stoppedBy: /^(400 malformed request|dialled 127\.0\.0\.1)$/,
  },
  41: {
    title: 'name a target that can be read in two ways',
    stoppedBy: /^(400 malformed request|no lookup)$/,
  },
  42: { title: 'reach an allowed host on another port', stoppedBy: /^403 port is not allowed$/ },
  43: {
    title: 'reach a private address by an allowed name',
    stoppedBy: /^(403 host has no public address|dialled 93\.184\.216\.34)$/,
  },
  44: {
    title: 'change the address behind a name after it was vetted',
    stoppedBy: /^(403 host has no public address|dialled 93\.184\.216\.34|one each)$/,
  },
  45: {
    title: 'speak TLS with another host in an allowed tunnel',
    stoppedBy: /^(closed in the handshake|not reached|the owner was told)$/,
  },
  46: {
    title: 'send anything but TLS with a name',
    stoppedBy: /^(closed|not a byte|the owner was told)$/,
  },
  47: {
    title: 'smuggle a second request',
    stoppedBy:
      /^(400 malformed request|403 plain http is not allowed|closed after the first|no lookup)$/,
  },
  48: {
    title: 'reach a name around an allowed one',
    stoppedBy: /^(403 host is not allowed|no lookup|the owner was told)$/,
  },
  49: {
    title: 'use another server’s proxy',
    stoppedBy: /^(403 host is not allowed|nothing of it arrived)$/,
  },
  50: {
    title: 'reach a host through a relay of its own',
    stoppedBy: /^(403 host is not allowed|EACCES)$/, // EACCES: Landlock lets nobody connect to the relay
  },
  51: {
    title: 'wear the proxy out',
    stoppedBy: /^(capped at 64|closed in time|429 for the rest)$/,
  },
  52: {
    title: 'get out while the proxy is broken',
    stoppedBy:
      /^(502 host cannot be resolved|403 host has no public address|closed without an answer|ENETUNREACH|EACCES)$/,
  },
  53: {
    title: 'rewrite the first process of its sandbox',
    stoppedBy: /^ENOENT$/,
    naive: 'secluded',
  },
  54: { title: 'make a set-id file', stoppedBy: /^EPERM$/ },
  55: { title: 'see every program that anybody starts', stoppedBy: /^EPERM$/ },
  56: { title: 'hold up the open of others by a lease', stoppedBy: /^EPERM$/ },
  57: { title: 'use up the watches of its user', stoppedBy: /^EMFILE$/ },
  58: { title: 'use up the signals of its user', stoppedBy: /^EAGAIN$/ },
  59: { title: 'hold memory in a child of a thread', stoppedBy: /^ended as memory$/ },
  60: { title: 'hold memory that is no process’s', stoppedBy: /^(ENOSYS|ended as memory)$/ },
  61: {
    title: 'swap a folder for a link between check and mount',
    stoppedBy: /^never another$/,
  },
  62: { title: 'have a link of its own mounted', stoppedBy: /^sandbox\.path$/ },
  63: { title: 'be lent what its link leads to', stoppedBy: /^vault\.file$/ },
  64: { title: 'run a first process without limits', stoppedBy: /^limited$/, naive: 'secluded' },
  65: { title: 'read or write the memory of another process', stoppedBy: /^EPERM$/ },
  66: {
    title: 'look into a process of its own user outside',
    stoppedBy: /^ENOENT$/,
    naive: isRoot ? 'plain' : 'unprivileged',
  },
  67: { title: 'look into the first process', stoppedBy: /^ENOENT$/, naive: 'secluded' },
  68: { title: 'make a file with more rights than its user', stoppedBy: /^EPERM$/ },
  69: { title: 'watch whole file systems', stoppedBy: /^EPERM$/ },
  70: { title: 'mount by the newer calls', stoppedBy: /^EPERM$/ },
  71: { title: 'join a namespace', stoppedBy: /^EPERM$/ },
  72: { title: 'open a file by its handle', stoppedBy: /^EPERM$/ },
  73: { title: 'reach a terminal’s driver', stoppedBy: /^EPERM$/ },
  74: { title: 'speak netlink to more than routing tables', stoppedBy: /^EAFNOSUPPORT$/ },
  75: { title: 'open raw sockets or other protocols', stoppedBy: /^EPROTONOSUPPORT$/ },
  76: { title: 'make any other namespace', stoppedBy: /^EPERM$/ },
  77: { title: 'run before all other programs', stoppedBy: /^(EPERM|EACCES)$/ },
  78: { title: 'have its memory fed to the core handler', stoppedBy: /^EPERM$/ },
  79: { title: 'lock memory', stoppedBy: /^(ENOMEM|EPERM)$/ },
  80: { title: 'use up the message queues of its user', stoppedBy: /^EMFILE$/ },
  81: { title: 'use up the inotify watches of its user', stoppedBy: /^ENOSPC$/ },
  82: { title: 'use an io_uring from elsewhere', stoppedBy: /^ENOSYS$/ },
  83: { title: 'ask for keys or another keyring', stoppedBy: /^EPERM$/ },
  84: { title: 'reach old corners of the kernel', stoppedBy: /^(EPERM|ENOSYS)$/ },
  85: { title: 'leave a daemon by its own end', stoppedBy: /^gone with its server$/ },
  86: { title: 'outlive bubblewrap', stoppedBy: /^gone with its server$/ },
  87: { title: 'outlive the warden, then Cordon', stoppedBy: /^gone with its server$/ },
  88: { title: 'outlive both, killed in one moment', stoppedBy: /^gone with its server$/ },
  89: { title: 'outlive Cordon while its warden is stopped', stoppedBy: /^gone with its server$/ },
  90: { title: 'swap its program for a link at the start', stoppedBy: /^never another$/ },
  92: { title: 'hold memory in socket pairs', stoppedBy: /^ended as memory$/ },
  93: { title: 'hold memory in pipes', stoppedBy: /^ended as memory$/ },
  94: { title: 'hold memory that it has unmapped', stoppedBy: /^ENOSYS$/ },
  95: { title: 'hold memory in page tables', stoppedBy: /^ended as memory$/ },
  // Landlock allows no connection to a port of its own; where there is none, the memory is counted.
  96: {
    title: 'hold memory in its own connections',
    stoppedBy: /^(EACCES|EAGAIN|ended as memory)$/,
  },
  97: { title: 'read about the machine in /proc', stoppedBy: /^ENOENT$/ },
  98: { title: 'see every program start, with a folder of its own', stoppedBy: /^EPERM$/ },
  99: { title: 'connect by sending, around the rule about ports', stoppedBy: /^EPERM$/ },
  100: { title: 'load a program onto a socket', stoppedBy: /^EPERM$/ },
  101: { title: 'have the kernel speak TLS', stoppedBy: /^EPERM$/ },
  102: { title: 'change mounts by the newest calls', stoppedBy: /^EPERM$/ },
  103: { title: 'outlive Cordon, warden and bubblewrap', stoppedBy: /^gone with its server$/ },
  104: { title: 'use up the asynchronous reads of the machine', stoppedBy: /^ENOSYS$/ },
  105: {
    title: 'see what others read, by what is in memory',
    stoppedBy: /^(ENOTSUP|EOPNOTSUPP|ENOSYS)$/,
  },
  106: { title: 'have its pages merged with equal ones', stoppedBy: /^EPERM$/ },
  107: { title: 'send urgent bytes over its streams', stoppedBy: /^EPERM$/ },
  108: { title: 'take the huge pages of the machine', stoppedBy: /^(EPERM|ENOSYS)$/ },
  109: { title: 'have the kernel sign its segments', stoppedBy: /^EPERM$/ },
  110: { title: 'wake the machine from sleep', stoppedBy: /^EPERM$/ },
  111: { title: 'hold memory in watches', stoppedBy: /^ended as memory$/ },
  112: { title: 'advise itself around the rule about advice', stoppedBy: /^ENOSYS$/ },
  113: {
    title: 'ask what is in memory, or have it paged out',
    stoppedBy: /^(ENOSYS|ignored)$/,
  },
  114: { title: 'ask about file systems of others by number', stoppedBy: /^ENOSYS$/ },
  115: { title: 'load filters of system calls', stoppedBy: /^(ENOSYS|EINVAL)$/ },
  116: { title: 'make rulesets for Landlock', stoppedBy: /^ENOSYS$/ },
  117: { title: 'give a thread descriptors of its own', stoppedBy: /^(EPERM|EINVAL)$/ },
  118: { title: 'read identifiers and counts of the machine', stoppedBy: /^ENOENT$/ },
  119: { title: 'hold memory in answers about routing tables', stoppedBy: /^ended as memory$/ },
  120: { title: 'hold memory in datagrams', stoppedBy: /^(EAGAIN|ended as memory)$/ },
  121: { title: 'hold memory in areas of address space', stoppedBy: /^ended as memory$/ },
  122: { title: 'hold memory after its first thread has ended', stoppedBy: /^ended as memory$/ },
  // Under a cgroup the kernel gives no page beyond the limit, and the call that fills pages comes back early.
  123: {
    title: 'hold memory that hops from process to process',
    stoppedBy: /^(ENOMEM|ended as memory)$/,
  },
  124: { title: 'move pages into pipes and sockets', stoppedBy: /^EINVAL$/ },
  // The call that fills a page comes back early where a cgroup counts.
  125: {
    title: 'hold shared memory that it has dropped',
    stoppedBy: /^(EPERM|EFAULT|ENOMEM|ended as memory)$/,
  },
  91: { title: 'swap a file for a link while it is lent', stoppedBy: /^never another$/ },
}

const isArm = process.arch === 'arm64'

/**
 * Ways of an attempt that fail even on a naive contender on some machines, because the Linux kernel stops them there;
 * the test prints a diagnostic for each. Only 21 and 31, bound to a condition, have no other way that always succeeds.
 */
export const WITHOUT_CONTROL: Readonly<Record<string, { readonly [kind in Kind]?: string }>> = {
  '3 /root': { user: 'only root may list it' },
  '3 /home': { root: 'nobody lives there', user: 'nobody lives there' },
  '9 sysrq-trigger': {
    root: 'the kernel is built without',
    user: 'only root may open it, if anyone',
  },
  '14 a process of the host': { user: 'a user namespace cannot trace out of itself' },
  '21 set-user-id': isRoot ? {} : { user: 'only root can plant a file of root' },
  '22 the terminal of its host': { user: 'a kernel may keep typing to root' },
  '27 alg': { root: 'the kernel is built without', user: 'the kernel is built without' },
  '27 vsock': { root: 'the kernel is built without', user: 'the kernel is built without' },
  '28 bpf': { user: 'a kernel may keep it to root' },
  '28 perf_event_open': { user: 'a kernel may keep it to root' },
  '29 /dev/zero': { user: 'only root may make it' },
  '72 open_by_handle_at': { user: 'a kernel may keep it to root' },
  '77 a real-time class': { user: 'only root, and whoever root lets, may' },
  '77 a better nice': { user: 'only root, and whoever root lets, may' },
  '77 a real-time class of the disk': { user: 'only root, and whoever root lets, may' },
  '77 a deadline of its own': { user: 'only root may' },
  '110 an alarm clock': { user: 'only root may' },
  '84 modify_ldt': isArm ? { root: 'no such call', user: 'no such call' } : {},
  '116 a ruleset': { root: 'a kernel may be built without', user: 'a kernel may be built without' },
  '116 a restriction': {
    root: 'a kernel may be built without',
    user: 'a kernel may be built without',
  },
  ...(isArm && {
    '114 ustat': { root: 'no such call', user: 'no such call' },
    '114 sysfs': { root: 'no such call', user: 'no such call' },
  }),
  '31 getpid': isArm ? { root: 'no such calls', user: 'no such calls' } : {},
}
