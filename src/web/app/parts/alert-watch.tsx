/** Follows the open questions on every screen: notifies the desktop of them, and counts them beside their screen. */
import type { JSX } from 'preact'
import { useEffect } from 'preact/hooks'
import { alertOf, alerts } from '../alerts.ts'
import { useLive } from '../live.ts'

export function AlertWatch(): JSX.Element | null {
  const all = useLive('approvals.list', {}, ['approval', 'call']).data.value?.approvals
  const open = all?.filter(({ state }) => state === 'pending') ?? []
  const mayAlert = alerts.value
  useEffect(() => alertOf(open), [all, mayAlert])
  if (open.length === 0) return null
  return (
    <span class="count">
      {open.length}
      <span class="visually-hidden"> waiting</span>
    </span>
  )
}
