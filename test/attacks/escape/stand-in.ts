/**
 * Stand-ins for the outside world and for sensitive files, in namespaces made for the test: listeners for the metadata
 * service, a neighbour and a public resolver; a password file and a kernel setting that any user may write.
 */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

const ADDRESSES = ['169.254.169.254', '10.99.0.1', '8.8.8.8']
export const HOST_PORT = 7979

/** Must run as root of the namespaces, before any other process starts in them. Nothing else may use the folder. */
export async function openStandIn(folder: string): Promise<Disposable> {
  raiseAddresses()
  coverTreasures(folder)
  const servers = await Promise.all([
    answer('169.254.169.254', 80),
    answer('10.99.0.1', 80),
    answer('127.0.0.1', HOST_PORT),
  ])
  const resolver = createSocket('udp4')
  resolver.on('message', (question, from) => {
    resolver.send(answerFor(question), from.port, from.address)
  })
  await new Promise<void>((resolve) => resolver.bind(53, '8.8.8.8', resolve))
  return {
    [Symbol.dispose]() {
      for (const server of servers) server.close()
      resolver.close()
    },
  }
}

/** Brings loopback up and adds the outside addresses as its aliases, by ioctl from Perl: needs no `ip` command. */
export function raiseAddresses(): void {
  const program = `
    socket(S, 2, 2, 0) or die $!;
    sub up { my $r = pack 'a16 s x22', $_[0], 0x41; ioctl(S, 0x8914, $r) or die "up $_[0]: $!" }
    up('lo');
    my $n = 0;
    for my $address (@ARGV) {
      my $name = 'lo:' . ++$n;
      my $r = pack 'a16 S n C4 x8 x8', $name, 2, 0, split /\\./, $address;
      ioctl(S, 0x8916, $r) or die "address $address: $!";
    }`
  execFileSync('/usr/bin/perl', ['-e', program, ...ADDRESSES], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
}

/**
 * Mounts world-writable files over the real ones, so that file permissions do not already stop an ordinary user, and no
 * attempt touches the real files. A second, uncovered mount of /proc must exist: in a user namespace, the Linux kernel
 * refuses a new mount of /proc that would show more than the existing ones. With what is mounted inside it (systemd does
 * so): in a user namespace nothing that such a mount hides may be uncovered.
 */
function coverTreasures(folder: string): void {
  const view = `${folder}/proc`
  mkdirSync(view)
  execFileSync('mount', ['--rbind', '/proc', view])
  for (const treasure of ['/etc/shadow', '/proc/sys/kernel/core_pattern']) {
    const cover = `${folder}/${treasure.replaceAll('/', '-')}`
    writeFileSync(cover, 'a stand-in')
    chmodSync(cover, 0o666)
    execFileSync('mount', ['--bind', cover, treasure])
  }
}

function answer(host: string, port: number): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end(`OUTSIDE ${host}:${port}`)
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => resolve(server))
  })
}

/** One A record, 192.0.2.1, for every name; no record for IPv6. */
function answerFor(question: Buffer): Buffer {
  const end = question.indexOf(0, 12) + 5
  const isA = question.readUInt16BE(end - 4) === 1
  const head = Buffer.concat([
    question.subarray(0, 2),
    Buffer.from('818000010000000000000000', 'hex').subarray(0, 10),
  ])
  head.writeUInt16BE(isA ? 1 : 0, 6)
  const record = Buffer.from('c00c000100010000003c0004c0000201', 'hex')
  return Buffer.concat([head, question.subarray(12, end), ...(isA ? [record] : [])])
}
