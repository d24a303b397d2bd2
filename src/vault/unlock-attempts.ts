/**
 * Rate limit for passphrase guesses: after three wrong passphrases each next attempt has to wait 1 s, 2 s, 4 s … up to
 * 5 min. An attempt counts as failed from before it is tried, on disk, so neither a restart nor a kill gives one for
 * free.
 */
import { join } from 'node:path'
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { Files } from '../kernel/ports.ts'

const FREE_FAILURES = 3
const LONGEST_WAIT_MS = 300_000

interface Failures {
  readonly failures: number
  /** Time of the last failure, in milliseconds since 1970. */
  readonly at: number
}

const shape: z.ZodType<Failures> = z.strictObject({
  failures: z.int().min(0),
  at: z.int().min(0),
})

export interface UnlockAttempts {
  /** Counts the attempt that is about to be made, or refuses it because it comes too early. */
  begin(): Promise<void>
  succeeded(): Promise<void>
}

export function createUnlockAttempts(
  files: Files,
  folder: string,
  now: () => number,
): UnlockAttempts {
  const path = join(folder, 'attempts.json')
  const write = (counted: Failures): Promise<void> => files.write(path, JSON.stringify(counted))
  return {
    async begin(): Promise<void> {
      const time = now()
      const before = parseFailures(await files.read(path))
      // A clock that was set back must not lock the owner out for long: the wait starts again from now.
      if (before.at > time) await write({ ...before, at: time })
      const waitMs = Math.min(before.at, time) + waitAfter(before.failures) - time
      if (waitMs > 0) throw tooEarly(waitMs)
      await write({ failures: before.failures + 1, at: time })
    },
    succeeded: () => files.remove(path),
  }
}

/** How long after this many failures in a row the next attempt is refused. */
function waitAfter(failures: number): number {
  if (failures < FREE_FAILURES) return 0
  return Math.min(LONGEST_WAIT_MS, 1000 * 2 ** (failures - FREE_FAILURES))
}

/** An unreadable file counts as the number of failures at which the waiting begins, made just now. */
function parseFailures(bytes: Buffer | undefined): Failures {
  if (!bytes) return { failures: 0, at: 0 }
  try {
    return shape.parse(JSON.parse(bytes.toString()))
  } catch {
    return { failures: FREE_FAILURES, at: Number.POSITIVE_INFINITY }
  }
}

function tooEarly(waitMs: number): CordonError {
  const seconds = Math.ceil(waitMs / 1000)
  return new CordonError(
    'vault.wait',
    { exit: 4, hint: `Wait ${seconds} s, then run \`cordon vault unlock\` again` },
    `Cannot try another passphrase for ${seconds} s`,
  )
}
