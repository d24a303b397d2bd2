/** Exa. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const exa: Service = knownService({
  slug: 'exa',
  title: 'Exa',
  about: 'Search and read the web.',
  aliases: ['exa ai', 'exa search'],
  label: 'public',
  launch: npm(
    'exa-mcp-server',
    '3.4.1',
    'sha512-X6g4J9LXLJZ0uK52G8KE/KCaxpaD+wkEHzjkoDTYkC+afxfm5xqWgih3i0hgTfyufl6PggkLeR0L6rDAxW6ETg==',
  ),
  domains: ['api.exa.ai'],
  telemetryDomains: ['api.agnost.ai'],
  credentials: [
    token('EXA_API_KEY', 'exa_token', {
      title: 'API key',
      where: 'dashboard.exa.ai/api-keys → Create',
      url: 'https://dashboard.exa.ai/api-keys',
    }),
  ],
  tools: {
    ...reads('web_search_exa', 'web_fetch_exa'),
  },
  notes: ['Its package carries an analytics library; the host it reports to stays blocked.'],
})
