/**
 * A socket that a sandboxed server made in the folder it was given. The server may swap it for a link to another socket
 * at any moment, so the file itself is opened without following a link, looked at, and connected to through that very
 * descriptor: a later swap changes nothing. The folder cannot be swapped, since the server sees only what is in it.
 */
import { constants, type FileHandle, open } from 'node:fs/promises'

/** Node has no name for it: a descriptor that stands for the file and can neither read nor write. */
const O_PATH = 0o10000000

export interface HeldSocket extends AsyncDisposable {
  /** A path that leads to the opened file, as long as it is held. */
  readonly path: string
}

/** Undefined if there is no socket: nothing, a link, or any other file. */
export async function holdOwnSocket(path: string): Promise<HeldSocket | undefined> {
  const file = await open(path, O_PATH | constants.O_NOFOLLOW).catch(() => undefined)
  if (!file) return undefined
  if (await isSocket(file)) {
    return { path: `/proc/self/fd/${file.fd}`, [Symbol.asyncDispose]: () => file.close() }
  }
  await file.close()
  return undefined
}

async function isSocket(file: FileHandle): Promise<boolean> {
  return (await file.stat()).isSocket()
}
