/** Tavily. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const tavily: Service = knownService({
  slug: 'tavily',
  title: 'Tavily',
  about: 'Search, read and map the web.',
  label: 'public',
  launch: npm(
    'tavily-mcp',
    '0.2.22',
    'sha512-w2pmmmn/JKcNavylDoiNtNPflWt6SK2G1SVUvg0VvdvFJQUaOzEdanAm1VUWBOhUCqmVoBYVPstGcOoWvh8RQQ==',
  ),
  domains: ['api.tavily.com'],
  credentials: [
    token('TAVILY_API_KEY', 'tavily_token', {
      title: 'API key',
      where: 'app.tavily.com/home → API Keys',
      url: 'https://app.tavily.com/home',
      prefixes: ['tvly-'],
    }),
  ],
  tools: {
    ...reads(`
      tavily_search tavily_extract tavily_crawl tavily_map tavily_research
    `),
  },
})
