/** Where the servers listen: a socket only its owner can open, and a port only this machine can reach. */
import { once } from 'node:events'
import { chmod, lstat, mkdir, rm } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname } from 'node:path'
import { CordonError } from '../kernel/error.ts'

const LONGEST_SOCKET_PATH = 103
const PORTS_TO_TRY = 21

/**
 * The folder is closed (0700) before the socket is made in it, so there is no moment at which another user
 * could connect. Not by umask: that is shared with every file operation that happens to run just then.
 * The caller holds the lock of the home, so a socket that is there already belongs to a process that died.
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

/** The first free port from `first` on. */
export async function listenOnPort(server: Server, first: number): Promise<number> {
  const last = Math.min(first + PORTS_TO_TRY - 1, 65_535)
  for (let port = first; port <= last; port += 1) {
    if (await tryPort(server, port)) return (server.address() as AddressInfo).port
  }
  throw new CordonError(
    'web.port',
    { exit: 5, hint: 'Stop what listens there, or set CORDON_PORT to a free port' },
    `Cannot listen on a port from ${first} to ${last}: all are taken`,
  )
}

async function tryPort(server: Server, port: number): Promise<boolean> {
  try {
    server.listen({ port, host: '127.0.0.1', exclusive: true })
    await once(server, 'listening')
    return true
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EADDRINUSE') return false
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
