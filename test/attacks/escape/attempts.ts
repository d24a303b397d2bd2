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
  8: { title: 'open core_pattern for writing', stoppedBy: /^EROFS$/ },
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
  34: { title: 'reach a service on the host’s loopback', stoppedBy: /^ECONNREFUSED$/ },
  35: { title: 'reach the metadata service or a neighbour', stoppedBy: /^ENETUNREACH$/ },
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
  50: { title: 'reach a host through a relay of its own', stoppedBy: /^403 host is not allowed$/ },
  51: {
    title: 'wear the proxy out',
    stoppedBy: /^(capped at 64|closed in time|429 for the rest)$/,
  },
  52: {
    title: 'get out while the proxy is broken',
    stoppedBy:
      /^(502 host cannot be resolved|403 host has no public address|closed without an answer|ENETUNREACH)$/,
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
    stoppedBy: /^never another folder$/,
  },
  62: { title: 'have a link of its own mounted', stoppedBy: /^sandbox\.path$/ },
  63: { title: 'be lent what its link leads to', stoppedBy: /^vault\.file$/ },
  64: { title: 'run a first process without limits', stoppedBy: /^limited$/, naive: 'secluded' },
}

const isRoot = process.getuid?.() === 0
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
  '31 getpid': isArm ? { root: 'no such calls', user: 'no such calls' } : {},
}
