/**
 * `vault/key`: 32 bytes that open the vault, for machines without a keychain or a person to type a passphrase. The file
 * is refused if another user owns it or could read or write it; its permissions are never repaired silently.
 */
import { constants, type Stats } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { CordonError } from '../kernel/error.ts'
import { KEY_LENGTH } from './sealed-box.ts'
import { keyDoesNotFit } from './vault-errors.ts'

export async function readKeyFile(path: string): Promise<Buffer> {
  await using file = await openKeyFile(path)
  const stats = await file.stat()
  refuseOthers(path, stats)
  if (!stats.isFile() || stats.size !== KEY_LENGTH) throw keyDoesNotFit()
  const key = Buffer.alloc(KEY_LENGTH)
  const { bytesRead } = await file.read(key, 0, KEY_LENGTH, 0)
  if (bytesRead !== KEY_LENGTH) throw keyDoesNotFit()
  return key
}

async function openKeyFile(path: string): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  try {
    return await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
  } catch {
    throw keyDoesNotFit()
  }
}

function refuseOthers(path: string, stats: Stats): void {
  const foreign = stats.uid !== process.getuid?.()
  if (!foreign && (stats.mode & 0o077) === 0) return
  throw new CordonError(
    'vault.key-file',
    {
      exit: 5,
      hint: `Run \`chmod 600 ${path}\` as its owner, then \`cordon vault rotate --passphrase\`, since others may have read it`,
    },
    `Cannot trust the key file ${JSON.stringify(path)}: ${foreign ? 'it belongs to someone else' : 'others may read or write it'}`,
  )
}
