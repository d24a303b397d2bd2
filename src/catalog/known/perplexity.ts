/** Perplexity. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const perplexity: Service = knownService({
  slug: 'perplexity',
  title: 'Perplexity',
  about: 'Ask questions that are answered from the web.',
  label: 'public',
  launch: npm(
    '@perplexity-ai/mcp-server',
    '1.2.1',
    'sha512-nhqGnbTAdb+BblDAG59vD0u4T3/QzDA7h6pYbBP1djH7RGjJcTg8uLVAJ7jNkbKF90NkQ/fF9K8u8SkKUQZEyQ==',
  ),
  domains: ['api.perplexity.ai'],
  credentials: [
    token('PERPLEXITY_API_KEY', 'perplexity_token', {
      title: 'API key',
      where: 'perplexity.ai/account/api → Generate API key',
      url: 'https://www.perplexity.ai/account/api',
      prefixes: ['pplx-'],
    }),
  ],
  tools: {
    ...reads(`
      perplexity_ask perplexity_research perplexity_reason perplexity_search
    `),
  },
})
