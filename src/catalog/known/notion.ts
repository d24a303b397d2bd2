/** Notion. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import {
  despiteHints,
  givesJson,
  json,
  knownService,
  npm,
  read,
  reads,
  token,
} from '../known-service.ts'

/** What Notion itself says of one of its objects, and of each in a list. */
const ONE = 'id object type created_time last_edited_time'
const MANY = `
  next_cursor has_more results[*].id results[*].object results[*].type results[*].created_time
  results[*].last_edited_time
`

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
    // What is not named here can move to the trash or replace what is there.
    ...reads('API-retrieve-a-page-property API-list-data-source-templates'),
    // Each answers with what Notion's API said, as JSON. Ids, times and kinds are Notion's own.
    ...givesJson(ONE, 'API-get-user API-retrieve-a-block API-retrieve-a-data-source'),
    ...givesJson(`${ONE} data_sources[*].id`, 'API-retrieve-a-database'),
    ...givesJson(`${MANY} results[*].discussion_id`, 'API-retrieve-a-comment'),
    'API-get-self': { ...read('Say which integration this token belongs to.'), ...json(ONE) },
    'API-get-users': { ...read('List the people of the workspace.'), ...json(MANY) },
    'API-get-block-children': { ...read('Read the blocks (the text) of a page.'), ...json(MANY) },
    'API-retrieve-page-markdown': read('Read a whole page as Markdown.'),
    'API-retrieve-a-page': {
      ...read('Read the properties of a page, not its text.'),
      ...json(`${ONE} parent.page_id parent.database_id parent.data_source_id`),
    },
    // The server calls every request destructive that is not a GET. These two only read, and these three only add.
    ...despiteHints({
      'API-post-search': { ...read('Find pages and databases by title.'), ...json(MANY) },
      'API-query-data-source': {
        ...read('Read the rows of a database, filtered and sorted.'),
        ...json(MANY),
      },
      'API-post-page': {
        semantics: 'write',
        description: 'Create a page.',
        roles: { properties: 'content', children: 'content' },
        ...json(ONE),
      },
      'API-patch-block-children': {
        semantics: 'write',
        description: 'Append blocks to a page.',
        roles: { children: 'content' },
      },
      'API-create-a-comment': {
        semantics: 'write',
        description: 'Comment on a page.',
        roles: { rich_text: 'content' },
        ...json('id discussion_id created_time'),
      },
    }),
    'API-patch-page': { description: 'Change the properties of a page, or move it to the trash.' },
    'API-update-page-markdown': { description: 'Replace or extend the text of a page.' },
  },
  notes: [
    'It sees only pages that are shared with the integration: open a page in Notion → ••• → Connections.',
    'Notion itself now prefers its remote server: connect "notion remote" to sign in instead of pasting a token.',
  ],
})
