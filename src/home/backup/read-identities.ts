/** The secret keys in an age identity file, which only its owner may read. They are never taken from a command line. */
import { open } from 'node:fs/promises'
import { identityToRecipient } from 'age-encryption'
import { badIdentity } from './backup-errors.ts'

const MOST_BYTES = 64 * 1024

export async function readIdentities(path: string): Promise<readonly string[]> {
  try {
    await using file = await open(path, 'r')
    const { buffer, bytesRead } = await file.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0)
    const lines = buffer.toString('utf8', 0, bytesRead).split(/\r?\n/)
    const identities = lines.filter((line) => line.startsWith('AGE-SECRET-KEY-'))
    if (identities.length === 0) throw new Error('no identity')
    for (const identity of identities) await identityToRecipient(identity) // throws if it is none
    return identities
  } catch (cause) {
    throw badIdentity(path, cause instanceof Error ? cause.name : undefined)
  }
}
