/** Fetch. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads } from '../known-service.ts'

export const webFetch: Service = knownService({
  slug: 'fetch',
  title: 'Fetch',
  about: 'Read web pages as text, Markdown or JSON.',
  aliases: ['web fetch', '@modelcontextprotocol/server-fetch', 'mcp-server-fetch'],
  label: 'public',
  launch: npm(
    'mcp-fetch-server',
    '1.1.2',
    'sha512-7sz6KlwvTS7gUWYLl3yqqPignheOCntK6KjBwqoVbk50g80Mg6BORcdGvDL7jHhYwdwlYMl+PkL34HmAViARDQ==',
    { bin: 'mcp-fetch-server' },
  ),
  domains: [],
  tools: {
    ...reads(`
      fetch_html fetch_markdown fetch_txt fetch_json fetch_readable fetch_youtube_transcript
    `),
  },
  notes: [
    'It reaches no host until you add some to its list. For one site, connect that site by its domain instead.',
  ],
})
