/** Discord. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const discord: Service = knownService({
  slug: 'discord',
  title: 'Discord',
  about: 'Channels, messages and attachments.',
  aliases: ['discord.com'],
  launch: npm(
    'discord-mcp',
    '2.4.0',
    'sha512-75XAwu2qqOLiJGZPUSXHPzkGIkZ+K2UiM/cF54qORQglgw3ccUWRelk3lpRayxJfWKMICmUr6nXC61y48tLLKA==',
  ),
  domains: ['discord.com', 'cdn.discordapp.com'],
  formats: { message: ['mentions', 'markdown'], content: ['mentions', 'markdown'] },
  credentials: [
    token('DISCORD_BOT_TOKEN', 'discord_token', {
      title: 'bot token',
      where:
        'discord.com/developers/applications → your app → Bot → Reset Token; enter it with the word Bot and a space before it',
      url: 'https://discord.com/developers/applications',
      pattern: '^(?:Bot )?[MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6,7}\\.[A-Za-z0-9_-]{27,}$',
    }),
  ],
  tools: reads(
    'discord_get_channel',
    'discord_get_message',
    'discord_get_message_history',
    'discord_list_attachments',
    'discord_search_messages',
  ),
  notes: [
    'A community server that sends the token as it was entered: "Bot TOKEN" for a bot.',
    'It would also take the token of your own account, which breaks the rules of Discord.',
  ],
})
