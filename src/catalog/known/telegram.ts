/** Telegram. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, token } from '../known-service.ts'

export const telegram: Service = knownService({
  slug: 'telegram',
  title: 'Telegram',
  about: 'Chats, as a bot.',
  aliases: ['@overpod/mcp-telegram'],
  label: 'sensitive',
  launch: {
    kind: 'unsupported',
    why: 'The servers for Telegram sign in as you, with your whole account, over a protocol that no list of hosts can hold back; run one yourself and connect it by its https address.',
  },
  domains: ['api.telegram.org'],
  formats: {
    text: ['mentions', 'markdown'],
    message: ['mentions', 'markdown'],
    caption: ['mentions', 'markdown'],
  },
  credentials: [
    token('TELEGRAM_BOT_TOKEN', 'telegram_token', {
      title: 'bot token',
      where: 'Telegram → @BotFather → /newbot',
      pattern: '^\\d{8,10}:[A-Za-z0-9_-]{35}$',
    }),
  ],
})
