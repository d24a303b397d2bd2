/** PostgreSQL. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const postgres: Service = knownService({
  slug: 'postgres',
  title: 'PostgreSQL',
  about: 'Look at tables and run SQL.',
  aliases: ['postgresql', 'pg', '@modelcontextprotocol/server-postgres'],
  label: 'sensitive',
  launch: npm(
    '@bytebase/dbhub',
    '1.4.0',
    'sha512-oZXG3m1gUzYr1zBkVUoT73ItMJsmliOpH5MT9iMUD2t0pbEXytdy8J6m3dOFyMaf5UEVNiKIHKzxylR3RYgf9A==',
    { args: ['--transport', 'stdio'] },
  ),
  domains: [],
  credentials: [
    token('DSN', 'postgres_url', {
      title: 'database address',
      where:
        'postgres://USER:PASSWORD@HOST:5432/DATABASE?sslmode=require; use a role that may only read',
      prefixes: ['postgres://', 'postgresql://'],
      pattern: '^postgres(?:ql)?://[^\\s:/@]+:[^\\s@]+@\\S+$',
      isAddress: true,
    }),
  ],
  verify: { tool: 'search_objects', args: { object_type: 'schema' } },
  tools: {
    // execute_sql runs any statement, so it counts as destructive.
    ...reads('search_objects'),
  },
  notes: [
    'It reaches the host and port in the address you give, and nothing else.',
    'The older package @modelcontextprotocol/server-postgres is archived; its read-only mode can be bypassed.',
  ],
})
