/**
 * Passes standard input and output from one process of the owner to another (SCM_RIGHTS, unix(7)), so that the second
 * reads and writes them itself and the first is no longer on the way. Node passes descriptors only over its own IPC
 * channel; on each side a Perl program that ends at once does the rest. Takes nothing but pipes and sockets.
 */
import { spawn } from 'node:child_process'
import { existsSync, fstatSync } from 'node:fs'
import type { Duplex } from 'node:stream'

/** Standard input and output of another process. */
export interface PassedStreams {
  readonly input: Duplex
  readonly output: Duplex
}

const PERL = '/usr/bin/perl'
const TAKE_MS = 10_000
/** Behind the standard streams: Node makes those blocking in a child, and this socket stays the parent's as well. */
const CONNECTION = 3

/** False on a machine without Perl, and for a terminal or a file: Node's IPC channel takes neither. */
export function canPassStreams(): boolean {
  const isPassable = (descriptor: number): boolean => {
    const found = fstatSync(descriptor)
    return found.isFIFO() || found.isSocket()
  }
  try {
    return process.platform === 'linux' && existsSync(PERL) && [0, 1].every(isPassable)
  } catch {
    return false // a descriptor that is closed
  }
}

const [SENDMSG, RECVMSG] = process.arch === 'arm64' ? [211, 212] : [46, 47]

/** `struct msghdr` of one part, with room for rights behind it. The variables have to outlive the system call. */
const MESSAGE = `my $part = pack 'P Q', $text, length $text;
my $message = pack 'Q Q P Q P Q Q', 0, 0, $part, 1, $rights, length $rights, 0;`

const GIVE = `use strict;
my ($sendmsg) = @ARGV;
my $text = 's';
my $rights = pack 'Q l l i i', 24, 1, 1, 0, 1;
${MESSAGE}
exit(syscall($sendmsg + 0, ${CONNECTION}, $message, 0) == 1 ? 0 : 1);
`

/** Gives this process's standard input and output to the process behind the connection. False if that failed. */
export function giveStreams(connection: Duplex): Promise<boolean> {
  const child = spawn(PERL, ['-e', GIVE, String(SENDMSG)], {
    stdio: ['inherit', 'inherit', 'ignore', connection],
    env: {},
  })
  return new Promise((resolve) => {
    child.once('error', () => resolve(false))
    child.once('exit', (code) => resolve(code === 0))
  })
}

const TAKE = `use strict;
my ($sendmsg, $recvmsg) = @ARGV;
my $channel = $ENV{NODE_CHANNEL_FD};
open my $host, '+<&=', $channel or exit 1;
my $ready = '';
vec($ready, ${CONNECTION}, 1) = 1;
select($ready, undef, undef, ${TAKE_MS / 1000}) or exit 1;
my @passed = do {
  my ($text, $rights) = (pack('x'), pack('x24'));
  ${MESSAGE}
  syscall($recvmsg + 0, ${CONNECTION}, $message, 0) == 1 or exit 1;
  my ($length, $level, $type, @descriptors) = unpack 'Q l l i i', $rights;
  exit 1 if $length != 24 or $level != 1 or $type != 1;
  @descriptors;
};
for (@passed) {
  open my $stream, '<&=', $_ or exit 1;
  exit 1 unless -p $stream or -S $stream;
  my $flags = fcntl $stream, 3, 0 or exit 1;
  fcntl $stream, 4, $flags | 04000 or exit 1; # O_NONBLOCK, which Node takes for granted
  my $text = qq({"cmd":"NODE_HANDLE","type":"net.Socket","msg":"stream"}\\n);
  my $rights = pack 'Q l l i x4', 20, 1, 1, $_;
  ${MESSAGE}
  syscall($sendmsg + 0, $channel + 0, $message, 0) > 0 or exit 1;
  sysread $host, my $thanks, 256;
}
`

/**
 * Takes what the process behind the connection gives. Nobody else may read the connection meanwhile: Node stops reading
 * it at once, and goes on when it is resumed. Undefined if nothing came, or something that is no pipe and no socket.
 */
export function takeStreams(connection: Duplex): Promise<PassedStreams | undefined> {
  const child = spawn(PERL, ['-e', TAKE, String(SENDMSG), String(RECVMSG)], {
    stdio: ['ignore', 'ignore', 'ignore', connection, 'ipc'],
    env: {},
  })
  const taken: Duplex[] = []
  child.on('message', (_, handle) => {
    if (handle) taken.push((handle as Duplex).on('error', () => undefined))
  })
  const { promise, resolve } = Promise.withResolvers<PassedStreams | undefined>()
  const settle = (): void => {
    const [input, output] = taken
    if (input && output) return resolve({ input, output })
    for (const stream of taken) stream.destroy()
    resolve(undefined)
  }
  child.once('error', settle)
  // After the last message: an exit may overtake messages that are still in the channel.
  child.once('close', settle)
  return promise
}
