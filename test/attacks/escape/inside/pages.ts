/**
 * Attempts on what all programs of a machine share without any namespace: its page cache, its huge pages, equal pages, and
 * counts of the whole machine. Takes a few of each, never all.
 */
import { type Attempts, call, perl, Stopped, systemCall } from './probe.ts'

const PREADV2 = call(327, 286)
const RWF_NOWAIT = 8
const MMAP = call(9, 222)

/** Whether the page is in memory; a naive contender is told, before the page is read as well as after. */
const IS_CACHED = `open my $f, '<', '/usr/bin/perl' or die $!; my $text = "\\0" x 4096;
  my $part = pack 'P Q', $text, 4096;
  syscall(${PREADV2}, fileno $f, $part, 1, 0, 0, ${RWF_NOWAIT}) >= 0 || $!{EAGAIN} ? got('the page') : stop()`

/** On a file of its own, since newer kernels answer for no others. */
const CACHE_STATE = `open my $f, '+>', "/dev/shm/cached-$$" or die $!; unlink "/dev/shm/cached-$$"; syswrite $f, 'text';
  my ($range, $state) = (pack('Q Q', 0, 0), "\\0" x 40);
  syscall(451, fileno $f, $range, $state, 0) == 0 ? got('its pages') : stop()`

/** Without any reserved, the kernel has none; that errno comes from behind the filter. */
const HUGE_PAGE = `syscall(${MMAP}, 0, 2097152, 3, 0x40022, -1, 0) != -1 || $!{ENOMEM} ? got('a huge page') : stop()`

/** The Linux kernel refuses advice on half a page; an answer of 0 is the filter's, and nothing has happened. */
function advise(advice: number): string {
  const answer = perl(`my $at = syscall(${MMAP}, 0, 8192, 3, 0x22, -1, 0);
    syscall(${call(28, 233)}, $at + 1, 4096, ${advice}) == 0 ? got('ignored') : $!{EINVAL} ? got('heard') : stop()`)
  if (answer === 'ignored') throw new Stopped(answer)
  return answer
}

/** Moves a byte of a file in memory, of two pages, without copying it. */
function move(number: number, args: string): string {
  return systemCall(
    number,
    args,
    `open my $f, '+>', "/dev/shm/moved-$$" or die $!; unlink "/dev/shm/moved-$$"; syswrite $f, 'x' x 8192;
     my $at = pack 'Q', 4096; pipe my $r, my $w or die $!; pipe my $r2, my $w2 or die $!; syswrite $w2, 'x';
     socketpair my $s, my $s2, 1, 1, 0 or die $!`,
  )
}

export const PAGES: Attempts = {
  104: () => ({ io_setup: () => systemCall(call(206, 0), '8, $c', 'my $c = "\\0" x 8') }),
  105: () => ({
    'a read that must not wait': () => perl(IS_CACHED),
    cachestat: () => perl(CACHE_STATE),
  }),
  106: () => ({
    PR_SET_MEMORY_MERGE: () => systemCall(call(157, 167), '67, 1, 0, 0, 0'),
    MADV_MERGEABLE: () =>
      systemCall(
        call(28, 233),
        '$at, 8192, 12',
        `my $at = syscall(${MMAP}, 0, 8192, 3, 0x22, -1, 0)`,
      ),
  }),
  112: () => ({
    process_madvise: () =>
      systemCall(
        440,
        '$self, $range, 1, 12, 0',
        `my $at = syscall(${MMAP}, 0, 8192, 3, 0x22, -1, 0); my $self = syscall(434, $$ + 0, 0);
         my $range = pack 'Q Q', $at, 8192`,
      ),
  }),
  113: () => ({
    mincore: () =>
      systemCall(
        call(27, 232),
        '$at, 4096, $state',
        `my $state = "\\0"; my $at = syscall(${MMAP}, 0, 4096, 3, 0x22, -1, 0)`,
      ),
    MADV_COLD: () => advise(20),
    MADV_PAGEOUT: () => advise(21),
  }),
  124: () => ({
    splice: () => move(call(275, 76), 'fileno $f, $at, fileno $w, 0, 1, 0'),
    tee: () => move(call(276, 77), 'fileno $r2, fileno $w, 1, 0'),
    sendfile: () => move(call(40, 71), 'fileno $s, fileno $f, $at, 1'),
  }),
  108: () => ({
    mmap: () => perl(HUGE_PAGE),
    memfd_create: () => systemCall(call(319, 279), '$n, 4', 'my $n = "huge"'),
  }),
}
