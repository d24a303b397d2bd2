/** Airtable. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { gives, knownService, npm, reads, token, writes } from '../known-service.ts'

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
  formats: { text: ['mentions', 'markdown'] },
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
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads('list_tables', 'describe_table'),
    ...gives(['bases[*].id'], 'list_bases'),
    ...gives(['records[*].id'], 'list_records search_records'),
    ...gives(['id'], 'get_record'),
    ...gives(['comments[*].id', 'comments[*].createdTime'], 'list_comments'),
    ...writes(`
      create_table create_field create_comment upload_attachment
    `),
    create_record: { semantics: 'write', roles: { fields: 'content' }, fields: ['id'] },
  },
})
