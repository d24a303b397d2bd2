/** Answers of a filter of system calls, and the offsets of a call's number and arguments. Data only. */
import { type BpfLine, give, label } from './bpf.ts'

// Offsets into struct seccomp_data; of an argument the low half, since the inspected calls take an int.
export const NUMBER = 0
export const ARCHITECTURE = 4
export const ARGUMENT = [16, 24, 32, 40, 48, 56] as const

const ALLOW = 0x7fff0000
const KILL_PROCESS = 0x80000000
const errno = (number: number): number => 0x00050000 + number
/** The call returns 0, and nothing happens. */
const IGNORED = errno(0)
const EPERM = 1
const EINVAL = 22
const ENOSYS = 38
const EPROTONOSUPPORT = 93
const EOPNOTSUPP = 95
const EAFNOSUPPORT = 97

/** Jumped to by name, so they stand at the end of every filter. */
export const VERDICTS: readonly BpfLine[] = [
  label('allowed'),
  give(ALLOW),
  label('refused'),
  give(errno(EPERM)),
  label('invalid'),
  give(errno(EINVAL)),
  label('absent'),
  give(errno(ENOSYS)),
  label('unsupported'),
  give(errno(EOPNOTSUPP)),
  label('ignored'),
  give(IGNORED),
  label('no-family'),
  give(errno(EAFNOSUPPORT)),
  label('no-protocol'),
  give(errno(EPROTONOSUPPORT)),
  label('kill'),
  give(KILL_PROCESS),
]

export const allow = (): BpfLine => give(ALLOW)
