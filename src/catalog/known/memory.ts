/** Memory. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, reads, writes } from '../known-service.ts'

export const memory: Service = knownService({
  slug: 'memory',
  title: 'Memory',
  about: 'A small knowledge graph that outlives a conversation.',
  launch: npm(
    '@modelcontextprotocol/server-memory',
    '2026.8.31',
    'sha512-ljj/3S4aGjxdNSQWw6gucKKGnTLdBPWxzapyY/MT2tOVyZwvxChvevXSLPwx59nKJAlVpUVW+cOlnVRXRwiqMQ==',
  ),
  domains: [],
  env: { MEMORY_FILE_PATH: '/tmp/memory.jsonl' },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads('read_graph', 'search_nodes', 'open_nodes'),
    ...writes('create_entities', 'create_relations', 'add_observations'),
  },
  notes: [
    'What it stores is gone when it stops, until its definition names a folder under write_paths and MEMORY_FILE_PATH in it.',
  ],
})
