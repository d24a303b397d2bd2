/**
 * The first program inside a sandbox, in Perl because Perl is on every Debian and starts in two milliseconds.
 * It opens listeners in the sandbox's own network namespace and hands them out (SCM_RIGHTS), waits for its sheet, sets
 * the limits, restricts itself by Landlock, closes every descriptor but the standard streams, loads the last filter of system
 * calls, and execs the server. No line of the server runs before.
 *
 * The sheet holds the server's limits, command line and environment, and comes through a pipe. So neither bubblewrap's
 * command line nor its environment ever shows a secret, and no variable of a server can affect a program outside the
 * sandbox.
 */
import { CordonError } from '../../kernel/error.ts'
import type { MemoryLayer } from '../../kernel/sandbox-port.ts'
import type { Place } from '../plan/places.ts'

interface StartSheet {
  /** Limits by the Linux number of the resource (RLIMIT_*). */
  readonly limits: ReadonlyMap<number, number>
  /** The program by absolute path, and its arguments. */
  readonly command: readonly string[]
  readonly environment: Readonly<Record<string, string>>
  /** Rules for Landlock; without any, or on a kernel without it, nothing is restricted. */
  readonly walls: readonly string[]
  /** Filters of system calls, as the kernel reads them; each is loaded after everything else. */
  readonly filters: readonly Uint8Array[]
}

/** Arguments of the start program: the sheet's descriptor, three system call numbers, the places to listen at. */
export function startArguments(
  sheetDescriptor: number,
  places: readonly Place[],
): readonly string[] {
  const numbers = process.arch === 'arm64' ? [211, 261, 167] : [46, 302, 157]
  const listened = places.map(({ address, port }) => `${address}:${port}`)
  return [...[sheetDescriptor, ...numbers].map(String), ...listened]
}

/** Picks the sheet by memory layer, which is known only once the process exists and its cgroup was tried. */
export type Sheets = (layer: MemoryLayer) => string

/** Writes both possible sheets at once, so that a NUL byte is refused before a process is started. */
export function writeSheets(
  start: Omit<StartSheet, 'limits'>,
  limitsFor: (layer: MemoryLayer) => StartSheet['limits'],
): Sheets {
  const [held, watched] = (['cgroup2', 'rlimit+watchdog'] as const).map((layer) =>
    writeSheet({ ...start, limits: limitsFor(layer) }),
  ) as [string, string]
  return (layer) => (layer === 'rlimit+watchdog' ? watched : held)
}

/** NUL-separated, each list after its length; the final `end` tells a whole sheet from a truncated one. */
function writeSheet(sheet: StartSheet): string {
  const limits = [...sheet.limits].map(([resource, most]) => `${resource}:${most}`)
  const variables = Object.entries(sheet.environment).map(([name, value]) => `${name}=${value}`)
  const filters = sheet.filters.map((filter) => Buffer.from(filter).toString('hex'))
  const words = [limits, sheet.command, variables, sheet.walls, filters].flatMap((list) => [
    String(list.length),
    ...list,
  ])
  if (words.some((word) => word.includes('\0'))) {
    throw new CordonError(
      'sandbox.arguments',
      { exit: 2, hint: 'Remove the NUL byte from the arguments and settings of the server' },
      'Cannot start a program with a NUL byte in its arguments or environment',
    )
  }
  return [...words, 'end'].map((word) => `${word}\0`).join('')
}

export const START_PROGRAM = `use strict;
my ($sheet, $sendmsg, $prlimit, $prctl, @places) = @ARGV;
my $channel = $ENV{NODE_CHANNEL_FD};
sub fail { print STDERR "cordon: $_[0]: $!\\n"; exit 125 }

open my $host, '+<&=', $channel or fail 'channel';
for (@places) {
  my ($address, $port) = split /:/;
  socket my $listener, 2, 1, 0 or fail 'socket';
  bind $listener, pack 'S n C4 x8', 2, $port, split /\\./, $address or fail 'bind';
  listen $listener, 1024 or fail 'listen';
  # One message in the form of Node's channel, the listener beside it: struct msghdr of one part, SCM_RIGHTS.
  my $text = qq({"cmd":"NODE_HANDLE","type":"net.Server","msg":"ready"}\\n);
  my $rights = pack 'Q l l i x4', 20, 1, 1, fileno $listener;
  my $part = pack 'P Q', $text, length $text;
  my $message = pack 'Q Q P Q P Q Q', 0, 0, $part, 1, $rights, length $rights, 0;
  syscall($sendmsg + 0, $channel + 0, $message, 0) > 0 or fail 'hand over';
  sysread $host, my $thanks, 256;
}
@places or syswrite $host, qq("ready"\\n) or fail 'channel';

open my $in, '<&=', $sheet or fail 'sheet';
my @words = do { local $/; split /\\0/, scalar <$in>, -1 };
exit 125 if @words < 2 or $words[-2] ne 'end';
sub list { splice @words, 0, shift @words }
my ($limits, $command, $variables, $walls, $filters) = map { [list()] } 1 .. 5;
for (@$limits) {
  my ($resource, $most) = split /:/;
  syscall($prlimit + 0, 0, $resource + 0, pack('Q Q', $most, $most), 0) == 0 or fail 'limits';
}
# Landlock, system calls 444 to 446 on every platform. Before ABI 2 it forbids every move between folders: not used.
my $abi = @$walls ? syscall(444, 0, 0, 1) : -1;
if ($abi >= 2) {
  my $known = $abi >= 5 ? 0xffff : $abi >= 3 ? 0x7fff : 0x3fff;
  my $ports = (grep { $_ eq 'tcp:*' } @$walls) ? 0 : 2; # CONNECT_TCP
  my $handled = pack 'Q Q Q', $known, $ports, 3; # files; ports; signals and abstract sockets
  my $ruleset = syscall(444, $handled, ($abi >= 6 ? 24 : $abi >= 4 ? 16 : 8), 0);
  $ruleset >= 0 or fail 'landlock';
  for (@$walls) {
    my ($kind, $rights, $path) = split /:/, $_, 3;
    if ($kind eq 'tcp') {
      $abi < 4 or !$ports or syscall(445, $ruleset, 2, pack('Q Q', 2, $rights), 0) == 0 or fail 'landlock port';
      next;
    }
    sysopen my $place, $path, 010000000 or next; # O_PATH
    $rights &= -d $place ? $known : $known & 0xc007; # the rest are rights of folders
    syscall(445, $ruleset, 1, pack('Q l', $rights, fileno $place), 0) == 0 or fail "landlock $path";
  }
  syscall(446, $ruleset, 0) == 0 or fail 'landlock';
}
%ENV = map { split /=/, $_, 2 } @$variables;
syscall(436, 3, 0xffffffff, 0) == 0 or fail 'close';
for (@$filters) {
  my $steps = pack 'H*', $_; # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
  syscall($prctl + 0, 22, 2, pack('S x6 P', length($steps) / 8, $steps), 0, 0) == 0 or fail 'filter';
}
exec { $command->[0] } @$command;
print STDERR "cordon: cannot run $command->[0]: $!\\n";
exit 126;
`
