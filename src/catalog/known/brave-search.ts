/** Brave Search. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const braveSearch: Service = knownService({
  slug: 'brave-search',
  title: 'Brave Search',
  about: 'Search the web, news, images, videos and places.',
  aliases: ['brave', '@modelcontextprotocol/server-brave-search'],
  label: 'public',
  launch: npm(
    '@brave/brave-search-mcp-server',
    '2.1.4',
    'sha512-a34HBs6os4Ilp0yHPV/j3UrgBQH1uTDLsNA9y5IlO30RCYUFm9QPfC0coh2c7WEDxKcHuWjVsrfuXIJNheu9YA==',
  ),
  domains: ['api.search.brave.com'],
  credentials: [
    token('BRAVE_API_KEY', 'brave_search_token', {
      title: 'API key',
      where: 'api-dashboard.search.brave.com → API keys → Add',
      url: 'https://api-dashboard.search.brave.com/app/keys',
      prefixes: ['BSA'],
      pattern: '^BSA[A-Za-z0-9_-]{24,}$',
    }),
  ],
  env: { BRAVE_MCP_TRANSPORT: 'stdio' },
  tools: {
    ...reads(`
      brave_web_search brave_local_search brave_video_search brave_image_search brave_news_search
      brave_summarizer brave_llm_context brave_place_search
    `),
  },
})
