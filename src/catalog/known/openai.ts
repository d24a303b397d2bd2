/** OpenAI. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, token } from '../known-service.ts'

export const openai: Service = knownService({
  slug: 'openai',
  title: 'OpenAI',
  about: 'Models, not a server: here so that a key of theirs is recognised wherever it is pasted.',
  aliases: ['chatgpt', 'open ai'],
  launch: {
    kind: 'unsupported',
    why: 'OpenAI offers models rather than tools; keep its key with `cordon vault set openai_api_key`.',
  },
  domains: ['api.openai.com'],
  credentials: [
    token('OPENAI_API_KEY', 'openai_api_key', {
      title: 'API key',
      where: 'platform.openai.com/api-keys → Create new secret key',
      url: 'https://platform.openai.com/api-keys',
      prefixes: ['sk-proj-', 'sk-svcacct-', 'sk-'],
    }),
  ],
})
