/** Airtable. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

export const airtable: Service = knownService({
  slug: 'airtable',
  title: 'Airtable',
  about: 'Bases, tables and records.',
  aliases: ['airtable.com'],
  launch: npm(
    'airtable-mcp-server',
    '1.14.0',
    'sha512-OYUwkrIhXsYRqx39wQ5R7OAM5R0RdDWJRb8CBMLFU8OGPAB1Jmm4oOrLtaH3Qmtd+UG2IAT+nFlFrqfs//2klA==',
  ),
  domains: ['api.airtable.com', 'content.airtable.com'],
  credentials: [
    token('AIRTABLE_API_KEY', 'airtable_token', {
      title: 'personal access token',
      where: 'airtable.com/create/tokens → Create new token',
      url: 'https://airtable.com/create/tokens',
      prefixes: ['pat'],
      pattern: '^pat[A-Za-z0-9]{14}\\.[a-f0-9]{32,}$',
    }),
  ],
  verify: { tool: 'list_bases', args: {} },
})
