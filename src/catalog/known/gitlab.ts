/** GitLab. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

export const gitlab: Service = knownService({
  slug: 'gitlab',
  title: 'GitLab',
  about: 'Projects, merge requests, issues and pipelines.',
  aliases: ['gitlab.com', '@modelcontextprotocol/server-gitlab'],
  launch: npm(
    '@zereight/mcp-gitlab',
    '2.1.64',
    'sha512-t2s7VDHuuQXCQFA7vfPrBPpMpvPEObk0gNiDd1y57uN+wJS8XkCgkJCdvL1j3dx6WNuyxHCh0HdG7CoXNaegKw==',
    { bin: 'mcp-gitlab' },
  ),
  domains: ['gitlab.com'],
  credentials: [
    token('GITLAB_PERSONAL_ACCESS_TOKEN', 'gitlab_token', {
      where: 'gitlab.com → Preferences → Access tokens → Add new token, scope read_api or api',
      url: 'https://gitlab.com/-/user_settings/personal_access_tokens',
      prefixes: ['glpat-', 'gloas-'],
    }),
  ],
  verify: { tool: 'whoami', args: {} },
  notes: [
    'A community server. It lists 118 tools; most people need a tenth of them.',
    'Uses worker threads: where Cordon can make no control group, set memory_limit = "1g" under [sandbox] in its definition.',
  ],
})
