/** Redis. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, token } from '../known-service.ts'

export const redis: Service = knownService({
  slug: 'redis',
  title: 'Redis',
  about: 'Keys and values.',
  aliases: ['@modelcontextprotocol/server-redis', 'redis-mcp-server'],
  launch: {
    kind: 'unsupported',
    why: "The only npm package for Redis is archived and takes its password on the command line; run the vendor's own server yourself and connect it by its https address.",
  },
  domains: [],
  credentials: [
    token('REDIS_URL', 'redis_url', {
      title: 'database address',
      prefixes: ['rediss://', 'redis://'],
      pattern: '^rediss?://[^\\s:/@]*:[^\\s@]+@\\S+$',
    }),
  ],
})
