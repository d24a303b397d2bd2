/** Follows the open questions on every screen, for the notifications of the desktop. Shows nothing itself. */
import { useEffect } from 'preact/hooks'
import { alertOf, alerts } from '../alerts.ts'
import { useLive } from '../live.ts'

export function AlertWatch(): null {
  const open = useLive('approvals.list', {}, ['approval', 'call']).data.value?.approvals
  const state = alerts.value
  useEffect(() => {
    if (open) alertOf(open.filter(({ state: now }) => now === 'pending'))
  }, [open, state])
  return null
}
