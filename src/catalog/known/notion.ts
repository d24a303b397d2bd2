/** Notion. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

export const notion: Service = knownService({
  slug: 'notion',
  title: 'Notion',
  about: 'Search pages, read databases, create pages and manage blocks.',
  aliases: ['notion.com', '@modelcontextprotocol/server-notion', 'notion.so'],
  launch: npm(
    '@notionhq/notion-mcp-server',
    '2.5.2',
    'sha512-5nPSwHMnugSGAhSJS5vVIlMao+iTJO9HoWGpCnT8lJNrPy3rZMqs1V/CPiN4MuxF+5EBgRE/f/Tirl6Wfi75Mg==',
  ),
  domains: ['api.notion.com'],
  credentials: [
    token('NOTION_TOKEN', 'notion_token', {
      where: 'notion.so/profile/integrations → Create → Copy secret',
      url: 'https://www.notion.so/profile/integrations',
      prefixes: ['ntn_', 'secret_'],
      pattern: '^(?:ntn_|secret_)[A-Za-z0-9]{40,}$',
    }),
  ],
  verify: { tool: 'API-get-self', args: {} },
  tools: {
    // The server calls these two destructive; both are POST requests that only read.
    'API-post-search': { semantics: 'read', description: 'Find pages and databases by title.' },
    'API-query-data-source': {
      semantics: 'read',
      description: 'Read the rows of a database, filtered and sorted.',
    },
    'API-get-self': { description: 'Say which integration this token belongs to.' },
    'API-get-users': { description: 'List the people of the workspace.' },
    'API-get-block-children': { description: 'Read the blocks (the text) of a page.' },
    'API-retrieve-page-markdown': { description: 'Read a whole page as Markdown.' },
    'API-retrieve-a-page': { description: 'Read the properties of a page, not its text.' },
    'API-post-page': { description: 'Create a page.' },
    'API-patch-page': { description: 'Change the properties of a page, or move it to the trash.' },
    'API-update-page-markdown': { description: 'Replace or extend the text of a page.' },
    'API-patch-block-children': { description: 'Append blocks to a page.' },
    'API-create-a-comment': { description: 'Comment on a page.' },
  },
  notes: [
    'It sees only pages that are shared with the integration: open a page in Notion → ••• → Connections.',
    'Notion itself now prefers its remote server: connect "notion remote" to sign in instead of pasting a token.',
  ],
})
