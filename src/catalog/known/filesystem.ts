/** Filesystem. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { FOLDERS, knownService, reads, shipped, writes } from '../known-service.ts'

export const filesystem: Service = knownService({
  slug: 'filesystem',
  title: 'Filesystem',
  about: 'Read and write files in folders that you name.',
  aliases: ['files', 'file system'],
  launch: shipped('@modelcontextprotocol/server-filesystem', '2026.8.31', {
    integrity:
      'sha512-kKaFkyAh6oipvc9+EAbJ552JafnMnOq5nzmzWkp1jJdBhTAAGpmIpWihUG1+rfNhmEFM98gUZDdCHCDD4v6a7Q==',
    args: ['${folders}'],
  }),
  domains: [],
  credentials: FOLDERS,
  formats: { content: ['ci'], edits: ['ci'] },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      read_file read_text_file read_media_file read_multiple_files list_directory
      list_directory_with_sizes directory_tree search_files get_file_info list_allowed_directories
    `),
    ...writes('create_directory'),
  },
})
