/** SQLite. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, reads } from '../known-service.ts'

export const sqlite: Service = knownService({
  slug: 'sqlite',
  title: 'SQLite',
  about: 'Look at tables and run SQL on a database file.',
  aliases: ['@modelcontextprotocol/server-sqlite'],
  launch: npm(
    '@bytebase/dbhub',
    '1.4.0',
    'sha512-oZXG3m1gUzYr1zBkVUoT73ItMJsmliOpH5MT9iMUD2t0pbEXytdy8J6m3dOFyMaf5UEVNiKIHKzxylR3RYgf9A==',
    { args: ['--transport', 'stdio', '--dsn', 'sqlite:///:memory:'] },
  ),
  domains: [],
  tools: {
    // execute_sql runs any statement, so it counts as destructive.
    ...reads('search_objects'),
  },
  notes: [
    'It begins with an empty database in memory. For a file, name it under write_paths and in args of its definition: sqlite:///absolute/path.db.',
  ],
})
