/** Filesystem. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm } from '../known-service.ts'

export const filesystem: Service = knownService({
  slug: 'filesystem',
  title: 'Filesystem',
  about: 'Read and write files in folders that you name.',
  aliases: ['files', 'file system'],
  launch: npm(
    '@modelcontextprotocol/server-filesystem',
    '2026.8.31',
    'sha512-kKaFkyAh6oipvc9+EAbJ552JafnMnOq5nzmzWkp1jJdBhTAAGpmIpWihUG1+rfNhmEFM98gUZDdCHCDD4v6a7Q==',
    { args: ['/tmp'] },
  ),
  domains: [],
  notes: [
    'It begins with a scratch folder of its own. Name your folders under write_paths or read_paths, and in args, of its definition.',
  ],
})
