/** Opens the listeners: a socket that only its owner can open, and a port that only this machine can reach. */
import { once } from 'node:events'
import { chmod, lstat, mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { CordonError } from '../kernel/error.ts'

const LONGEST_SOCKET_PATH = 103
const PORTS_TO_TRY = 21

/**
 * The folder is closed (0700) before the socket is made in it, so there is no moment at which another user could
 * connect. Not by umask: that is shared with every file operation that runs at the same time. The caller holds the lock
 * of the home, so an existing socket belongs to a process that died.
 */
export async function listenOnSocket(server: Server, path: string): Promise<void> {
  if (Buffer.byteLength(path) > LONGEST_SOCKET_PATH) {
    throw new CordonError(
      'web.socket-path',
      { exit: 2, hint: 'Set CORDON_HOME to a folder with a shorter path' },
      `Cannot make a socket at ${JSON.stringify(path)}: more than ${LONGEST_SOCKET_PATH} bytes`,
    )
  }
  try {
    await closeFolder(dirname(path))
    await rm(path, { force: true })
    server.listen(path)
    await once(server, 'listening')
    await chmod(path, 0o600)
  } catch (cause) {
    throw new CordonError(
      'web.socket',
      { exit: 5, hint: 'Run `cordon doctor` to see what is wrong with the home folder' },
      `Cannot listen on ${JSON.stringify(path)}`,
      cause,
    )
  }
}

interface Loopbacks {
  readonly ipv4: Server
  readonly ipv6: Server
}

/** The first port from `first` on that is free on both addresses: `localhost` may resolve to either one. */
export async function listenOnPort(servers: Loopbacks, first: number): Promise<number> {
  const last = Math.min(first + PORTS_TO_TRY - 1, 65_535)
  for (let port = first; port <= last; port += 1) {
    const held = await holdBoth(servers, first === 0 ? 0 : port)
    if (held !== undefined) return held
  }
  throw new CordonError(
    'web.port',
    { exit: 5, hint: 'Stop what listens there, or set CORDON_PORT to a free port' },
    `Cannot listen on a port from ${first} to ${last}: all are taken`,
  )
}

async function holdBoth({ ipv4, ipv6 }: Loopbacks, wanted: number): Promise<number | undefined> {
  if (!(await tryPort(ipv4, wanted, '127.0.0.1'))) return undefined
  const { port } = ipv4.address() as AddressInfo
  if (await tryPort(ipv6, port, '::1')) return port
  ipv4.closeAllConnections()
  ipv4.close()
  await once(ipv4, 'close')
  return undefined
}

/** This machine has no IPv6, so no other program can listen on `::1` either. */
const NO_SUCH_ADDRESS: ReadonlySet<unknown> = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT'])

async function tryPort(server: Server, port: number, host: '127.0.0.1' | '::1'): Promise<boolean> {
  try {
    server.listen({ port, host, exclusive: true, ipv6Only: host === '::1' })
    await once(server, 'listening')
    return true
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    if (code === 'EADDRINUSE') return false
    if (host === '::1' && NO_SUCH_ADDRESS.has(code)) return true
    throw new CordonError(
      'web.port',
      { exit: 5, hint: 'Set CORDON_PORT to another port, then run `cordon up`' },
      `Cannot listen on port ${port}`,
      cause,
    )
  }
}

async function closeFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const found = await lstat(folder)
  if (!found.isDirectory() || found.uid !== process.getuid?.()) {
    throw new Error('the folder of the socket is a link or belongs to another user')
  }
  await chmod(folder, 0o700)
}
