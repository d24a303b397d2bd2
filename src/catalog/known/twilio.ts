/** Twilio. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, token } from '../known-service.ts'

export const twilio: Service = knownService({
  slug: 'twilio',
  title: 'Twilio',
  about: 'Messages, calls and phone numbers.',
  aliases: ['@twilio-alpha/mcp'],
  label: 'sensitive',
  launch: {
    kind: 'unsupported',
    why: "Twilio's package takes its key on the command line, where every program on this machine could read it; run it yourself and connect it by its https address.",
  },
  domains: ['api.twilio.com'],
  credentials: [
    token('TWILIO_API_SECRET', 'twilio_token', {
      title: 'API key',
      where: 'console.twilio.com → Account → API keys & tokens',
      url: 'https://console.twilio.com/us1/account/keys-credentials/api-keys',
      pattern: '^(?:AC|SK)[0-9a-f]{32}(?:[/:][0-9a-zA-Z:]+)?$',
    }),
  ],
})
