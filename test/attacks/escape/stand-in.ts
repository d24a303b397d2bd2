/**
 * What stands for the outside and for the machine's own treasures, in namespaces made for the test: listeners for the
 * metadata service, a neighbour and a public resolver; a password file and a kernel setting that anyone may touch.
 */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:net'

const ADDRESSES = ['169.254.169.254', '10.99.0.1', '8.8.8.8']
export const HOST_PORT = 7979

/** Must run as the namespaces' root, before anything else is started in them. The folder is its own. */
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

/** Loopback up, and the outside addresses as aliases of it, by the ioctls of old: no tool is needed. */
function raiseAddresses(): void {
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
 * Files that everyone may read and write lie over the real ones, so an attempt by an ordinary user is not stopped by
 * their permissions already, and no attempt touches the real ones. A second view of /proc without such a cover has to
 * exist: the kernel lets nobody make a new /proc who could see more in it than before.
 */
function coverTreasures(folder: string): void {
  const view = `${folder}/proc`
  mkdirSync(view)
  execFileSync('mount', ['--bind', '/proc', view])
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

/** One A record, 192.0.2.1, for whatever was asked; nothing for IPv6. */
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
