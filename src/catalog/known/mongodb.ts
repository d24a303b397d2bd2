/** MongoDB. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

export const mongodb: Service = knownService({
  slug: 'mongodb',
  title: 'MongoDB',
  about: 'Databases, collections and documents.',
  aliases: ['mongo', 'atlas', 'mongodb atlas'],
  label: 'sensitive',
  launch: npm(
    'mongodb-mcp-server',
    '3.0.4',
    'sha512-BD6Gu1qiyexMJQ/3vSBR01cuItrNM89rrh3x07OF0+YJAm8lb/+jvfIy5qSyy8tH10CYZmSspXLvvjLzsjQ3rw==',
  ),
  domains: ['cloud.mongodb.com'],
  credentials: [
    token('MDB_MCP_CONNECTION_STRING', 'mongodb_url', {
      title: 'connection string',
      where:
        'cloud.mongodb.com → your cluster → Connect → Drivers, for the oldest driver: the one that starts with mongodb://',
      url: 'https://cloud.mongodb.com',
      prefixes: ['mongodb+srv://', 'mongodb://'],
      pattern: '^mongodb(?:\\+srv)?://[^\\s:/@]+:[^\\s@]+@\\S+$',
      isAddress: true,
    }),
    token('MDB_MCP_API_CLIENT_ID', 'mongodb_client_id', {
      title: 'service account id',
      where: 'cloud.mongodb.com → Project → Access Manager → Service Accounts',
      prefixes: ['mdb_sa_id_'],
      required: false,
    }),
    token('MDB_MCP_API_CLIENT_SECRET', 'mongodb_client_secret', {
      title: 'service account secret',
      where: 'cloud.mongodb.com → Project → Access Manager → Service Accounts',
      prefixes: ['mdb_sa_sk_'],
      required: false,
    }),
  ],
  env: { MDB_MCP_TELEMETRY: 'disabled', DO_NOT_TRACK: '1', MDB_MCP_READ_ONLY: 'true' },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      aggregate-db aggregate collection-indexes collection-schema collection-storage-size count
      db-stats explain find list-collections list-connections list-databases mongodb-logs
      search-knowledge list-knowledge-sources
    `),
  },
  notes: [
    'It reaches the hosts and ports in the connection string, and cloud.mongodb.com.',
    'Needs 411 MB on disk.',
  ],
})
