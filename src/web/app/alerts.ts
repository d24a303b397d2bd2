/**
 * Desktop notifications for questions that wait, if the owner allowed them in this browser. The text names the tool and
 * nothing that a server wrote; the tag is the id of the question, so that several tabs show it once.
 */
import { type Signal, signal } from '@preact/signals'
import type { ShownApproval } from '../../kernel/approval-port.ts'
import { go } from './place.ts'

export type AlertState = 'unsupported' | 'default' | 'granted' | 'denied'

export const alerts: Signal<AlertState> = signal(
  'Notification' in globalThis ? Notification.permission : 'unsupported',
)

const shown = new Set<string>()

/** Has to be called by a click: browsers refuse to ask otherwise. */
export async function allowAlerts(): Promise<void> {
  alerts.value = await Notification.requestPermission()
}

export function alertOf(open: readonly ShownApproval[]): void {
  if (alerts.value !== 'granted') return
  for (const { id, items } of open) {
    if (shown.has(id)) continue
    shown.add(id)
    const servers = [...new Set(items.map(({ tool }) => tool.server))].join(', ')
    const alert = new Notification('Cordon asks you', {
      body: `${servers} waits for your answer.`,
      tag: `cordon-${id}`,
      icon: '/icon.svg',
    })
    alert.addEventListener('click', () => {
      focus()
      go('approvals')
      alert.close()
    })
  }
}
