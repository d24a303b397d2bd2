/** Firecrawl. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

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
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      firecrawl_map firecrawl_search firecrawl_find_tools firecrawl_check_crawl_status
      firecrawl_extract firecrawl_agent_status firecrawl_monitor_list firecrawl_monitor_get
      firecrawl_monitor_checks firecrawl_monitor_check firecrawl_research_search_papers
      firecrawl_research_inspect_paper firecrawl_research_related_papers
      firecrawl_research_read_paper firecrawl_research_search_github firecrawl_developer_search
      firecrawl_credit_usage
    `),
    ...writes(`
      firecrawl_scrape firecrawl_search_feedback firecrawl_feedback firecrawl_crawl firecrawl_agent
      firecrawl_parse firecrawl_monitor_create firecrawl_monitor_run
    `),
  },
})
