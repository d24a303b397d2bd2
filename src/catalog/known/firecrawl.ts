/** Firecrawl. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

export const firecrawl: Service = knownService({
  slug: 'firecrawl',
  title: 'Firecrawl',
  about: 'Scrape, crawl and search the web.',
  label: 'public',
  launch: npm(
    'firecrawl-mcp',
    '3.26.0',
    'sha512-aJPkPDSeQAIvA1RthFsLStXf5GHWE6hZa8MC36fk3JXC9etj0kUwBF1CFl3th0DmaFTZ0gZ9+eSvauyEDdPDwA==',
  ),
  domains: ['api.firecrawl.dev'],
  credentials: [
    token('FIRECRAWL_API_KEY', 'firecrawl_token', {
      title: 'API key',
      where: 'firecrawl.dev/app/api-keys → Create',
      url: 'https://www.firecrawl.dev/app/api-keys',
      prefixes: ['fc-'],
      pattern: '^fc-[a-f0-9]{32}$',
    }),
  ],
  verify: { tool: 'firecrawl_credit_usage', args: {} },
})
