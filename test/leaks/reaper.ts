/**
 * Runs a program below a child subreaper. The Linux kernel hands every orphaned descendant to the reaper, however the
 * process forked or detached: "the reaper has no child" therefore means that no process is left, without any search.
 */
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

export interface Reaped {
  readonly pid: number
  /** Command lines of the processes still there some seconds after the program's end, which are then killed. */
  readonly left: Promise<readonly string[]>
}

const REPORT = 3

export async function reap(
  words: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<Reaped> {
  const prctl = process.arch === 'arm64' ? '167' : '157'
  const child = spawn('perl', ['-e', PROGRAM, prctl, ...words], {
    env: { ...environment },
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const lines: string[] = []
  const report = createInterface({ input: child.stdio[REPORT] as Readable })
  const pid = Promise.withResolvers<number>()
  child.once('error', pid.reject)
  report.once('line', (first) => {
    report.on('line', (line) => lines.push(line))
    pid.resolve(Number(first))
  })
  const left = new Promise<readonly string[]>((resolve) =>
    report.once('close', () => resolve(lines)),
  )
  return { pid: await pid.promise, left }
}

/** The reaper. Its clock counts whole seconds, so callers that measure use their own. */
const PROGRAM = `use strict;
my ($prctl, @words) = @ARGV;
my ($become_reaper, $without_waiting, $patience) = (36, 1, 30);
syscall($prctl + 0, $become_reaper, 1, 0, 0, 0) == 0 or die "prctl: $!";
open my $report, '>&=', ${REPORT} or die "report: $!";
my $program = fork // die "fork: $!";
exec { $words[0] } @words or exit 126 unless $program;
syswrite $report, "$program\\n";
my $ended_at;
for (;;) {
  my $ended = waitpid -1, $without_waiting;
  exit if $ended == -1;
  $ended_at //= time if $ended == $program;
  last if defined $ended_at and time - $ended_at > $patience;
  select undef, undef, undef, 0.002 unless $ended;
}
until ((waitpid -1, $without_waiting) == -1) {
  for my $stat (glob '/proc/[0-9]*/stat') {
    open my $in, '<', $stat or next;
    my ($pid, $state, $parent) = (<$in> // '') =~ /^(\\d+) \\(.*\\) (\\S) (\\d+)/s;
    next unless $parent == $$ and $state ne 'Z';
    open my $line, '<', "/proc/$pid/cmdline" or next;
    syswrite $report, (join ' ', split /\\0/, <$line> // '') =~ s/\\n/ /gr . "\\n";
    kill 'KILL', $pid;
  }
  select undef, undef, undef, 0.05;
}
`
