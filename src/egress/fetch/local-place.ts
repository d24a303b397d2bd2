/**
 * The connection to a server on this machine: a Unix socket, or on Windows a named pipe. Nothing here leaves the
 * machine. A user who can replace the socket can impersonate the server, so the owner of the socket and of every folder
 * above is checked.
 */
import { lstat, realpath, stat } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import { dirname } from 'node:path'
import type { Dispatcher } from 'undici'
import type { LocalPlace } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { createAgent } from './agent.ts'
import { holdOwnSocket } from './hold-own-socket.ts'
import { isConnected } from '../reach/dial.ts'
import type { EgressLimits } from '../proxy/limits.ts'

const PIPE = '\\\\.\\pipe\\'
/** The size of `sun_path` in Linux, without the final NUL; a longer path would be truncated to another one. */
const LONGEST_PATH = 107
const WRITABLE_BY_OTHERS = 0o022
/** In a sticky folder every user may write, but only the owner of a file may replace it. */
const STICKY = 0o1000

/** The caller owns the socket. */
export async function connectLocal(
  place: LocalPlace,
  { connectMs }: EgressLimits,
  signal: AbortSignal,
): Promise<Socket> {
  await using held = place.kind === 'own' ? await holdOwnSocket(place.path) : undefined
  if (place.kind === 'own' && !held) throw unavailable(place.path, 'there is no such socket')
  const socket = connect({ path: held?.path ?? (await checked(place)) })
  if (await isConnected(socket, connectMs, signal)) return socket
  socket.destroy()
  signal.throwIfAborted()
  throw unavailable(place.path, 'nobody answers there')
}

/** Every request goes to this socket, whatever host its URL names. */
export function createLocalAgent(place: LocalPlace, limits: EgressLimits): Dispatcher {
  return createAgent(limits, () =>
    connectLocal(place, limits, AbortSignal.timeout(limits.connectMs)),
  )
}

async function checked({ kind, path }: LocalPlace): Promise<string> {
  return kind === 'pipe' ? checkedPipe(path) : await checkedSocket(path)
}

function checkedPipe(path: string): string {
  if (process.platform === 'win32' && path.startsWith(PIPE)) return path
  throw new CordonError(
    'egress.no-pipe',
    { exit: 2, hint: 'Use `transport = "uds"` with the `socket_path` of a Unix socket instead' },
    `Cannot connect to ${JSON.stringify(path)}: named pipes are on Windows only, below ${PIPE}`,
  )
}

/** Resolves symbolic links first, so that the checked path is the one that is connected to. */
async function checkedSocket(path: string): Promise<string> {
  const real = await realpath(path).catch((cause: unknown) => {
    throw unavailable(path, 'there is no such socket', cause)
  })
  if (Buffer.byteLength(real) > LONGEST_PATH) {
    throw unavailable(path, `it is longer than ${LONGEST_PATH} bytes`)
  }
  const found = await lstat(real)
  if (!found.isSocket()) throw unavailable(path, 'it is not a socket')
  if (!isTrusted(found.uid)) throw untrusted(path, 'it belongs to another user')
  await checkFolders(real, path)
  return real
}

async function checkFolders(real: string, path: string): Promise<void> {
  for (let folder = dirname(real); ; folder = dirname(folder)) {
    const { uid, mode } = await stat(folder)
    const isOpen = (mode & WRITABLE_BY_OTHERS) !== 0 && (mode & STICKY) === 0
    if (!isTrusted(uid) || isOpen) {
      throw untrusted(path, `other users can put another one in its place, in ${folder}`)
    }
    if (folder === dirname(folder)) return
  }
}

/** Root is trusted, since root can do anything anyway. */
function isTrusted(uid: number): boolean {
  return uid === 0 || uid === process.getuid?.()
}

function unavailable(path: string, why: string, cause?: unknown): CordonError {
  return new CordonError(
    'egress.local-unavailable',
    { exit: 5, hint: 'Start the server that listens there, then try again' },
    `Cannot connect to ${JSON.stringify(path)}: ${why}`,
    cause,
  )
}

function untrusted(path: string, why: string): CordonError {
  return new CordonError(
    'egress.local-untrusted',
    { exit: 3, hint: 'Move the socket to a folder that only you can write, like /run/user/UID' },
    `Cannot trust the socket ${JSON.stringify(path)}: ${why}`,
  )
}
