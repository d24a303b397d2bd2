/**
 * Encrypts and decrypts a stream in the age format (age-encryption.org/v1, C2SP), for a passphrase or for recipients.
 * A passphrase is stretched by scrypt on a worker thread, since that takes a second and the kernel must go on answering.
 */
import { createCipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { Decrypter, Encrypter, type Recipient, Stanza } from 'age-encryption'
import { backupDamaged, backupLocked, badRecipient } from './backup-errors.ts'

export type BackupLock =
  | { readonly passphrase: string }
  | { readonly recipients: readonly string[] }
export type BackupKey = { readonly passphrase: string } | { readonly identities: readonly string[] }

type Bytes = AsyncIterable<Uint8Array>

/** As in age itself: 2^18 rounds, about a second and 256 MiB for every guess. */
const WORK_FACTOR = 18
const INTRO = 'age-encryption.org/v1\n'

export async function encryptStream(
  lock: BackupLock,
  plain: Bytes,
  workFactor: number = WORK_FACTOR,
): Promise<Bytes> {
  const encrypter = new Encrypter()
  if ('passphrase' in lock) encrypter.addRecipient(passphraseRecipient(lock.passphrase, workFactor))
  else for (const recipient of lock.recipients) addRecipient(encrypter, recipient)
  return await encrypter.encrypt(ReadableStream.from(plain))
}

/** Bytes that were altered or cut off throw at their place, at the end at the latest. */
export async function decryptStream(key: BackupKey, cipher: Bytes): Promise<Bytes> {
  const decrypter = new Decrypter()
  if ('passphrase' in key) decrypter.addPassphrase(normal(key.passphrase))
  else for (const identity of key.identities) decrypter.addIdentity(identity)
  try {
    return explained(await decrypter.decrypt(ReadableStream.from(cipher)))
  } catch (error) {
    throw backupLocked('passphrase' in key, error)
  }
}

/** The kind of key for the file, by its first bytes; undefined for a file that is not age. */
export function keyWanted(start: Uint8Array): 'passphrase' | 'identity' | undefined {
  const text = Buffer.from(start).toString('latin1')
  if (!text.startsWith(INTRO)) return undefined
  return text.startsWith('-> scrypt ', INTRO.length) ? 'passphrase' : 'identity'
}

async function* explained(chunks: Bytes): AsyncGenerator<Uint8Array> {
  try {
    yield* chunks
  } catch (error) {
    throw backupDamaged(error)
  }
}

function addRecipient(encrypter: Encrypter, recipient: string): void {
  try {
    encrypter.addRecipient(recipient)
  } catch (error) {
    throw badRecipient(error)
  }
}

/** Equivalent Unicode spellings of a passphrase are the same, as for the vault. */
function normal(passphrase: string): string {
  return passphrase.normalize('NFKC')
}

/** The `scrypt` stanza of the age format. The library's own would block this process for as long as scrypt takes. */
function passphraseRecipient(passphrase: string, workFactor: number): Recipient {
  return {
    async wrapFileKey(fileKey) {
      const salt = randomBytes(16)
      const label = Buffer.concat([Buffer.from('age-encryption.org/v1/scrypt'), salt])
      const cost = { N: 2 ** workFactor, r: 8, p: 1, maxmem: 2 ** workFactor * 1024 + 2 ** 25 }
      const key = await stretch(normal(passphrase), label, 32, cost)
      const cipher = createCipheriv('chacha20-poly1305', key, Buffer.alloc(12), {
        authTagLength: 16,
      })
      const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
      key.fill(0)
      const unpadded = salt.toString('base64').replace(/=+$/, '')
      return [new Stanza(['scrypt', unpadded, String(workFactor)], new Uint8Array(body))]
    },
  }
}

const stretch: (
  passphrase: string,
  salt: Uint8Array,
  length: number,
  cost: { readonly N: number; readonly r: number; readonly p: number; readonly maxmem: number },
) => Promise<Buffer> = promisify(scrypt)
