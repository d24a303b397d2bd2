/**
 * Limits of one install in time and disk space, and of one question to a registry in time. An install that exceeds one is
 * aborted, before the disk is full.
 */
import { statfs } from 'node:fs/promises'
import { folderBytes } from './folder-bytes.ts'
import { cannotInstall } from './install-errors.ts'

export interface InstallLimits {
  readonly ms: number
  /** For a question such as the version behind a tag. A registry that sends a byte now and then is never silent. */
  readonly askMs: number
  readonly bytes: number
  readonly lookEveryMs: number
}

export const DEFAULT_LIMITS: InstallLimits = {
  ms: 10 * 60_000,
  askMs: 2 * 60_000,
  bytes: 2 * 2 ** 30,
  lookEveryMs: 500,
}

export interface LimitedSignal extends AsyncDisposable {
  /** Aborts with the caller's signal, or with the error to be shown. */
  readonly signal: AbortSignal
  /** Measures once more, and throws what the signal aborted with: an install can end between two looks. */
  check(): Promise<void>
}

export interface LimitedTime extends Disposable {
  readonly signal: AbortSignal
}

/** Aborts with the caller's signal, or with the error to be shown. */
export function limitTime(what: string, ms: number, signal: AbortSignal): LimitedTime {
  const over = new AbortController()
  const timer = setTimeout(() => {
    const why = `its registry took longer than ${ms / 60_000} minutes`
    over.abort(cannotInstall('registry-unreachable', what, why))
  }, ms)
  return {
    signal: AbortSignal.any([signal, over.signal]),
    [Symbol.dispose]: () => clearTimeout(timer),
  }
}

/** `what` is being installed below `folder`. */
export async function limitInstall(
  what: string,
  folder: string,
  limits: InstallLimits,
  signal: AbortSignal,
): Promise<LimitedSignal> {
  const over = new AbortController()
  const freeAtFirst = await freeBytes(folder)
  const look = async (): Promise<void> => {
    const used = freeAtFirst - (await freeBytes(folder))
    // Other programs write to this disk too, so the folder itself is measured before the install is blamed.
    if (used <= limits.bytes || (await folderBytes(folder)) <= limits.bytes) return
    const gigabytes = (limits.bytes / 2 ** 30).toFixed(1)
    over.abort(cannotInstall('unsafe-package', what, `it is larger than ${gigabytes} GiB`))
  }
  let looking = Promise.resolve()
  const watch = setInterval(() => {
    looking = looking.then(look).catch(() => undefined) // files appear and vanish while they are counted
  }, limits.lookEveryMs)
  const timed = limitTime(what, limits.ms, signal)
  const limited = AbortSignal.any([timed.signal, over.signal])
  return {
    signal: limited,
    async check() {
      await looking
      await look()
      limited.throwIfAborted()
    },
    async [Symbol.asyncDispose]() {
      clearInterval(watch)
      timed[Symbol.dispose]()
      await looking
    },
  }
}

async function freeBytes(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(folder)
  return bavail * bsize
}
