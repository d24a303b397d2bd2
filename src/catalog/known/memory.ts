/** Memory. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, reads, shipped, writes } from '../known-service.ts'

export const memory: Service = knownService({
  slug: 'memory',
  title: 'Memory',
  about: 'A small knowledge graph that outlives a conversation.',
  launch: shipped('@modelcontextprotocol/server-memory', '2026.8.31', {
    integrity:
      'sha512-ljj/3S4aGjxdNSQWw6gucKKGnTLdBPWxzapyY/MT2tOVyZwvxChvevXSLPwx59nKJAlVpUVW+cOlnVRXRwiqMQ==',
  }),
  domains: [],
  env: { MEMORY_FILE_PATH: '/home/mcp/data/memory.jsonl' },
  keepsData: true,
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads('read_graph', 'search_nodes', 'open_nodes'),
    ...writes('create_entities', 'create_relations', 'add_observations'),
  },
  notes: ["What it learns stays in a folder of its own in Cordon's home until you remove it."],
})
