/** Builds the Telegram channel: the only host that it reaches is Telegram's. Contains no rules. */
import { setTimeout as pause } from 'node:timers/promises'
import { openTelegram, type Telegram } from '../channels/telegram/open-telegram.ts'
import { OWNER } from '../kernel/principal.ts'
import { initOnFirstSet } from '../vault/init-on-first-set.ts'
import type { ConnectingRooms } from './connect-rooms.ts'

const TELEGRAM_HOST = 'api.telegram.org'

type TelegramRooms = Pick<
  ConnectingRooms,
  'vault' | 'tables' | 'audit' | 'log' | 'redactor' | 'egress'
>

export async function openTelegramRoom(rooms: TelegramRooms): Promise<Telegram> {
  const { vault, tables, egress, ...kept } = rooms
  return await openTelegram({
    ...kept,
    owner: OWNER.id,
    vault: initOnFirstSet(vault),
    notes: tables.notes,
    place: {
      fetch: egress.createFetch({ allowedDomains: [TELEGRAM_HOST] }),
      sleep: (ms, signal) => pause(ms, undefined, { signal, ref: false }),
    },
    now: Date.now,
  })
}
