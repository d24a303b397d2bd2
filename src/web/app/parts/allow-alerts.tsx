/** Offers notifications of the desktop for questions that wait. */
import type { JSX } from 'preact'
import { alerts, allowAlerts } from '../alerts.ts'

const SAID = {
  granted: 'This browser notifies you when you are asked.',
  denied: 'Notifications are off for this page in the settings of this browser.',
} as const

export function AllowAlerts(): JSX.Element | null {
  const state = alerts.value
  if (state === 'unsupported') return null
  if (state !== 'default') return <p class="muted">{SAID[state]}</p>
  return (
    <button type="button" class="quiet" onClick={() => void allowAlerts()}>
      Notify me when I am asked
    </button>
  )
}
