/** Receipts of deliveries as lines for people. Pure. */
import { showMoment } from './local-time.ts'

interface Receipt {
  readonly sink: string
  readonly state: 'expected' | 'sending' | 'delivered' | 'elsewhere' | 'unsure'
  /** ISO. */
  readonly at: string
  readonly reason?: string
}

/** One line each, below the schedule that they belong to; empty if it has not run yet. */
export function showReceipts(receipts: readonly Receipt[], timezone: string, now: number): string {
  const lines = receipts.map(({ sink, state, at, reason = '' }) => {
    const where = showSink(sink)
    const when = showMoment(Date.parse(at), timezone, now)
    if (state === 'delivered') return `last result: to ${where}, ${when}`
    if (state === 'elsewhere')
      return `last result: in your notices, ${when}; not to ${where}: ${reason}`
    if (state === 'unsure') return `last result: perhaps to ${where}, ${when}: ${reason}`
    return `last result: not to ${where} yet`
  })
  return lines.map((line) => `\n     ${line}`).join('')
}

/** `Telegram`, `this machine (terminal and page)`. */
export function showSink(sink: string): string {
  if (sink === 'sink:owner') return 'this machine (terminal and page)'
  if (sink === 'sink:telegram:owner') return 'Telegram'
  const peer = /^sink:telegram:peer:(.+)$/.exec(sink)?.[1]
  return peer === undefined ? sink : `Telegram (account ${peer})`
}
