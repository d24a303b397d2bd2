/**
 * Long polls with a pause between them. A route that follows something answers at once, without news, when its signal
 * is aborted or the kernel is closing. A loop without a pause would then spin, and would starve a kernel in the same
 * process.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './contract.ts'
import type { ConnectionView } from '../ports/setup-port.ts'

const PAUSE_MS = 100

/** To be awaited between two polls if the first brought no news. Rejects when `signal` is aborted. */
export async function pausePoll(signal?: AbortSignal): Promise<void> {
  await pause(PAUSE_MS, undefined, signal && { signal })
}

/** The view of a connection once it differs from this one. Rejects when `signal` is aborted. */
export async function nextView(
  api: Api,
  { connection, version: after }: ConnectionView,
  signal: AbortSignal,
): Promise<ConnectionView> {
  for (;;) {
    const view = await api.call('connect.follow', { connection, after }, signal)
    if (view.version > after) return view
    await pausePoll(signal)
  }
}
