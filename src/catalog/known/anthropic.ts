/** Anthropic. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, token } from '../known-service.ts'

export const anthropic: Service = knownService({
  slug: 'anthropic',
  title: 'Anthropic',
  about: 'Models, not a server: here so that a key of theirs is recognised wherever it is pasted.',
  aliases: ['claude'],
  launch: {
    kind: 'unsupported',
    why: 'Anthropic offers models rather than tools; keep its key with `cordon vault set anthropic_api_key`.',
  },
  domains: ['api.anthropic.com'],
  credentials: [
    token('ANTHROPIC_API_KEY', 'anthropic_api_key', {
      title: 'API key',
      where: 'console.anthropic.com → API keys → Create key',
      url: 'https://console.anthropic.com/settings/keys',
      prefixes: ['sk-ant-'],
    }),
  ],
})
