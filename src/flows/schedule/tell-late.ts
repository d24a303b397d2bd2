/** The notice about schedules that were due during an absence. A later absence replaces the earlier notice. */
import type { Noticing } from '../../ports/notice-port.ts'
import type { Fired } from './fire-schedule.ts'
import type { Look } from './take-due.ts'

/** The place of a server in the id of the notice. */
const SUBJECT = 'schedules'

const SUFFIXES: Readonly<Record<Fired['end'], string | undefined>> = {
  'not due': undefined,
  'on time': undefined,
  late: '',
  skipped: ' (not run: it has no catch-up)',
  'failed late': ' (did not start)',
}

export function tellLate(
  notices: Noticing,
  fired: readonly Fired[],
  { since, until }: Pick<Look, 'since' | 'until'>,
): void {
  const items = fired.flatMap(({ name, end }) => {
    const suffix = SUFFIXES[end]
    return suffix === undefined ? [] : [`${name}${suffix}`]
  })
  if (items.length === 0) return
  notices.resolve('late', SUBJECT)
  notices.raise('late', SUBJECT, items, `from ${timeOf(since)} to ${timeOf(until)}`)
}

/** In the time of this machine: 2026-11-16 08:00 */
function timeOf(at: number): string {
  return new Intl.DateTimeFormat('sv-SE', { dateStyle: 'short', timeStyle: 'short' }).format(at)
}
