/** The attempts to break out, by the numbers they are known by, and what a plain bubblewrap call makes of each. */

/** Who runs Cordon. */
export type Kind = 'root' | 'user'

export interface Attempt {
  readonly title: string
  /**
   * Whether the attempt succeeds behind `bwrap --ro-bind / /`, which proves that it bites; `blocked` says that even
   * such a call, or an ordinary user's lack of rights, is enough.
   */
  readonly naive: Readonly<Record<Kind, 'exposed' | 'blocked'>>
}

const exposed = { root: 'exposed', user: 'exposed' } as const
const blocked = { root: 'blocked', user: 'blocked' } as const
const onlyRoot = { root: 'exposed', user: 'blocked' } as const

export const ATTEMPTS: Readonly<Record<number, Attempt>> = {
  1: { title: 'read a private key in the home', naive: exposed },
  2: { title: 'read /etc/shadow', naive: onlyRoot },
  3: { title: 'list the homes', naive: exposed },
  4: { title: 'write to the system or to its own package', naive: exposed },
  5: { title: 'find a secret of the host in an environment', naive: exposed },
  6: { title: 'find its own secret in a command line', naive: exposed },
  7: { title: 'show its secret in the host’s process list', naive: exposed },
  8: { title: 'open core_pattern for writing', naive: onlyRoot },
  9: { title: 'reach /sys or sysrq', naive: exposed },
  10: { title: 'have a planted link mounted', naive: exposed },
  11: { title: 'use a descriptor that Cordon inherited', naive: exposed },
  12: { title: 'fill the memory with files', naive: exposed },
  13: { title: 'signal a process of the host', naive: exposed },
  14: { title: 'trace a process', naive: exposed },
  15: { title: 'leave a daemon behind', naive: exposed },
  16: { title: 'outlive a Cordon that was killed', naive: exposed },
  17: { title: 'fork without end', naive: exposed },
  18: { title: 'take memory on the heap', naive: exposed },
  19: { title: 'take memory beside the heap', naive: exposed },
  20: { title: 'flood its output', naive: blocked },
  21: { title: 'gain rights by set-user-id', naive: blocked },
  22: { title: 'type into a terminal', naive: exposed },
  23: { title: 'make a user namespace', naive: exposed },
  24: { title: 'mount, or change its root', naive: exposed },
  25: { title: 'set up io_uring', naive: exposed },
  26: { title: 'use the kernel’s keyrings', naive: exposed },
  27: { title: 'open sockets of other families', naive: exposed },
  28: { title: 'load BPF or handle page faults', naive: exposed },
  29: { title: 'make a device', naive: onlyRoot },
  30: { title: 'attach shared memory of the host', naive: exposed },
  31: { title: 'make x32 calls', naive: blocked },
  32: { title: 'reach an abstract socket of the host', naive: exposed },
  33: { title: 'reach a daemon’s socket file', naive: exposed },
  34: { title: 'reach a service on the host’s loopback', naive: exposed },
  35: { title: 'reach the metadata service or a neighbour', naive: exposed },
  36: { title: 'ask a public resolver', naive: exposed },
  37: { title: 'look up a name', naive: exposed },
  49: { title: 'use another server’s proxy', naive: exposed },
}

export interface Outcome {
  /** What it got hold of. */
  readonly got?: string
  /** What stopped it. */
  readonly stopped?: string
}

export type Outcomes = Readonly<Record<number, Outcome>>

export interface EscapeReport {
  readonly ours: Outcomes
  readonly naive: Outcomes
}
