/** Context7. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const context7: Service = knownService({
  slug: 'context7',
  title: 'Context7',
  about: 'Current documentation of libraries.',
  aliases: ['context 7'],
  label: 'public',
  launch: npm(
    '@upstash/context7-mcp',
    '4.1.1',
    'sha512-fUARTIZGVKzlzQKDhKUg4aIQ3yEU/12STdfxJDDnLMSN7yyHiPvNHI05iFwxkv3vC8G76Wp27MwK6Jucl/C5pA==',
  ),
  domains: ['context7.com'],
  credentials: [
    token('CONTEXT7_API_KEY', 'context7_token', {
      title: 'API key',
      where: 'context7.com/dashboard → Create API key',
      url: 'https://context7.com/dashboard',
      prefixes: ['ctx7sk'],
      pattern: '^ctx7sk-?[A-Za-z0-9-]{16,}$',
      required: false,
    }),
  ],
  tools: {
    ...reads('resolve-library-id', 'query-docs'),
  },
})
