/**
 * Follows changes of a server's lists: by notification in the legacy era, by subscription in the modern one. A
 * subscription that ends is renewed; a change may have been missed in between, so the renewal counts as one of each list.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Client } from '@modelcontextprotocol/client'

const FIRST_PAUSE_MS = 1000
const LONGEST_PAUSE_MS = 5 * 60_000

export type ListName = 'tools' | 'resources' | 'prompts'
const LISTS: readonly ListName[] = ['tools', 'resources', 'prompts']

export function followLists(client: Client, listener: (list: ListName) => void): void {
  for (const list of LISTS) {
    client.setNotificationHandler(`notifications/${list}/list_changed`, () => listener(list))
  }
  if (client.getProtocolEra() !== 'modern') return
  const capabilities = client.getServerCapabilities()
  const followed = LISTS.filter((list) => capabilities?.[list]?.listChanged === true)
  if (followed.length > 0) void listen(client, followed, listener)
}

/** Runs until the session is over. The session works without a subscription, too. */
async function listen(
  client: Client,
  followed: readonly ListName[],
  listener: (list: ListName) => void,
): Promise<void> {
  const filter = Object.fromEntries(followed.map((list) => [`${list}ListChanged`, true]))
  let pauseMs = FIRST_PAUSE_MS
  for (let isFirst = true; client.transport; isFirst = false) {
    const subscription = await client.listen(filter).catch(() => undefined)
    if (subscription) {
      if (!isFirst) followed.forEach(listener)
      pauseMs = FIRST_PAUSE_MS
      await subscription.closed
    }
    await pause(pauseMs, undefined, { ref: false })
    pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS)
  }
}
