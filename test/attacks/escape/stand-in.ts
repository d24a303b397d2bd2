/** Listeners that stand for the outside, in a network namespace made for the test: metadata, a neighbour, a public resolver. */
import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { createServer, type Server } from 'node:net'

const ADDRESSES = ['169.254.169.254', '10.99.0.1', '8.8.8.8']
export const HOST_PORT = 7979
export const PROXY_PORT = 3128

export interface StandIn extends Disposable {
  readonly addresses: readonly string[]
}

/** Must run as the namespace's root, before anything else is started in it. */
export async function openStandIn(): Promise<StandIn> {
  raiseAddresses()
  const servers = await Promise.all([
    answer('169.254.169.254', 80),
    answer('10.99.0.1', 80),
    answer('127.0.0.1', HOST_PORT),
    answer('127.0.0.1', PROXY_PORT),
  ])
  const resolver = createSocket('udp4')
  resolver.on('message', (question, from) => {
    resolver.send(answerFor(question), from.port, from.address)
  })
  await new Promise<void>((resolve) => resolver.bind(53, '8.8.8.8', resolve))
  return {
    addresses: ADDRESSES,
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
