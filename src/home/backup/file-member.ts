/** A file on disk as a member of a backup. Reads as many bytes as it had when it was opened, whatever is appended since. */
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { changedWhileRead } from './backup-errors.ts'
import type { Member } from './pack-tar.ts'

const CHUNK_BYTES = 64 * 1024
/** A file up to this size is read at once, so that a program that rewrites it meanwhile does no harm. */
const READ_AT_ONCE_BYTES = 16 * 1024 * 1024

export function bytesMember(name: string, content: Uint8Array): Member {
  return {
    name,
    bytes: content.length,
    async *read() {
      yield content
    },
  }
}

/** `bytes`: only the first ones, for a file that grows. Undefined if it is gone, or is not a plain file. */
export async function fileMember(
  name: string,
  path: string,
  bytes?: number,
): Promise<Member | undefined> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const file = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK).catch(() => undefined)
  if (!file) return undefined
  await using stack = new AsyncDisposableStack()
  stack.use(file)
  const stats = await file.stat()
  if (!stats.isFile()) return undefined
  const size = bytes ?? stats.size
  if (size <= READ_AT_ONCE_BYTES && bytes === undefined) {
    return bytesMember(name, await file.readFile())
  }
  const owned = stack.move() // from here on `read` closes it
  return {
    name,
    bytes: size,
    async *read() {
      await using _file = owned
      for (let at = 0; at < size; ) {
        const want = Math.min(CHUNK_BYTES, size - at)
        const { bytesRead, buffer } = await file.read(Buffer.alloc(want), 0, want, at)
        if (bytesRead === 0) throw changedWhileRead(name)
        at += bytesRead
        yield buffer.subarray(0, bytesRead)
      }
    },
  }
}
