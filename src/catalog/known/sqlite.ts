/** SQLite. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { DATABASE_FILE, knownService, reads, shipped } from '../known-service.ts'

export const sqlite: Service = knownService({
  slug: 'sqlite',
  title: 'SQLite',
  about: 'Look at tables and run SQL on a database file.',
  aliases: ['@modelcontextprotocol/server-sqlite'],
  launch: shipped('cordon-sqlite', '1.0.0'),
  domains: [],
  credentials: DATABASE_FILE,
  tools: {
    // execute runs any statement, so it counts as destructive.
    ...reads('list_tables', 'query'),
  },
})
