/**
 * Follows changes of a server's tools: by notification in the legacy era, by subscription in the modern one. A
 * subscription that ends is renewed; a change may have been missed in between, so the renewal counts as one.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 5 * 60_000

export function followToolChanges(client: Client, listener: () => void): void {
  client.setNotificationHandler('notifications/tools/list_changed', listener)
  const isModern = client.getProtocolEra() === 'modern'
  if (isModern && client.getServerCapabilities()?.tools?.listChanged) void listen(client, listener)
}

/** Runs until the session is over. The session works without a subscription, too. */
async function listen(client: Client, listener: () => void): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS
  for (let isFirst = true; client.transport; isFirst = false) {
    const subscription = await client.listen({ toolsListChanged: true }).catch(() => undefined)
    if (subscription) {
      if (!isFirst) listener()
      pauseMs = FIRST_PAUSE_MS
      await subscription.closed
    }
    await pause(pauseMs, undefined, { ref: false })
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}
