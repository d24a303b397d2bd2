/**
 * A key from a passphrase, by argon2id on a worker thread. NFKC makes equivalent Unicode spellings of a passphrase the
 * same. A passphrase is a JavaScript string and cannot be wiped; nothing here keeps one.
 */
import { argon2, randomBytes } from 'node:crypto'
import { CordonError } from '../kernel/error.ts'
import { isLongEnough, LEAST_PASSPHRASE } from '../text/is-long-enough.ts'
import type { Kdf, KdfCost } from './header.ts'
import { KEY_LENGTH } from './sealed-box.ts'

/** About 0.2 s and 64 MiB for every guess. */
export const KDF_COST: KdfCost = { memoryKiB: 65_536, passes: 3, parallelism: 1 }

export function createKdf(cost: KdfCost): Kdf {
  const { memoryKiB, passes, parallelism } = cost
  return { salt: randomBytes(16).toString('base64'), memoryKiB, passes, parallelism }
}

/** Only for setting a passphrase; an attempt to unlock is never judged by length. */
export function checkPassphrase(passphrase: string): void {
  if (isLongEnough(passphrase)) return
  throw new CordonError(
    'vault.weak-passphrase',
    { exit: 2, hint: `Choose a passphrase of at least ${LEAST_PASSPHRASE} characters` },
    'Cannot use a passphrase this short',
  )
}

export async function deriveKey(passphrase: string, kdf: Kdf): Promise<Buffer> {
  const message = Buffer.from(passphrase.normalize('NFKC'))
  const parameters = {
    message,
    nonce: Buffer.from(kdf.salt, 'base64'),
    memory: kdf.memoryKiB,
    passes: kdf.passes,
    parallelism: kdf.parallelism,
    tagLength: KEY_LENGTH,
  }
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  argon2('argon2id', parameters, (error, key) => (error ? reject(error) : resolve(key)))
  try {
    return await promise
  } catch (cause) {
    throw new CordonError(
      'vault.kdf',
      { exit: 5, hint: `Free ${Math.ceil(kdf.memoryKiB / 1024)} MiB of memory, then try again` },
      'Cannot derive a key from the passphrase',
      cause,
    )
  } finally {
    message.fill(0)
  }
}
