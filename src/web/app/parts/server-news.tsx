/** Tells, on every screen, that a server ended and is started again, or that Cordon gave it up. Shows nothing itself. */
import { useSignalEffect } from '@preact/signals'
import type { KernelEvent } from '../../../api/events.ts'
import { ask } from '../ask.ts'
import { news } from '../live.ts'
import { go } from '../place.ts'
import { attempt, settle, tellDone, tellFailed } from '../toasts.ts'

export function ServerNews(): null {
  useSignalEffect(() => {
    for (const { kind, subject = '' } of news.value)
      if (BACK.has(kind)) settle(aboutServer(subject))
    const events = news.value.filter(({ kind }) => TOLD.has(kind))
    if (events.length > 0) void attempt(() => tellAll(events))
  })
  return null
}

const TOLD: ReadonlySet<string> = new Set(['servers.crash', 'servers.disabled'])
const BACK: ReadonlySet<string> = new Set(['servers.start', 'servers.edit', 'servers.remove'])

/** A server that was given up is told once, without the crash that came before. */
async function tellAll(events: readonly KernelEvent[]): Promise<void> {
  const { servers } = await ask('mcp.list', {})
  const nameOf = (id: string): string => servers.find(({ server }) => server === id)?.name ?? id
  const gone = new Set(
    events.flatMap(({ kind, subject }) => (kind === 'servers.disabled' ? [subject] : [])),
  )
  for (const subject of new Set(events.map((event) => event.subject ?? ''))) {
    const name = nameOf(subject)
    if (!gone.has(subject)) tellDone(`${name} disconnected. Reconnecting...`)
    else
      tellFailed(`${name} failed to restart. Check settings.`, {
        act: { label: 'Open its settings', run: () => go('settings', 'mcp', subject) },
        about: aboutServer(subject),
      })
  }
}

function aboutServer(server: string): string {
  return `life of ${server}`
}
