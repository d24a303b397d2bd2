/** GitHub. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const github: Service = knownService({
  slug: 'github',
  title: 'GitHub',
  about: 'Repositories, files, issues and pull requests.',
  aliases: ['github.com', 'git hub', 'gh', '@github/mcp-server'],
  launch: npm(
    '@modelcontextprotocol/server-github',
    '2025.4.8',
    'sha512-8N43bQw9MlUB0piTZHK2JMh8kYPKxH57d4Z7Wb8PS4by2MkZ0FzI5xPImg3xumpev82VZw2VWHQJJJYp+WkwEw==',
  ),
  domains: ['api.github.com'],
  credentials: [
    token('GITHUB_PERSONAL_ACCESS_TOKEN', 'github_token', {
      where: 'github.com/settings/tokens → Fine-grained → Copy',
      url: 'https://github.com/settings/personal-access-tokens/new',
      prefixes: ['github_pat_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'],
      pattern: '^(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_[A-Za-z0-9_]{80,})$',
    }),
  ],
  oauth: [
    {
      kind: 'device',
      provider: 'github',
      deviceUrl: 'https://github.com/login/device/code',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      scopes: ['repo', 'read:org'],
      key: 'GITHUB_PERSONAL_ACCESS_TOKEN',
    },
  ],
  verify: { tool: 'search_repositories', args: { query: 'is:public', perPage: 1 } },
  tools: {
    // What is not named here cannot be taken back, or nobody can tell.
    ...reads(`
      search_repositories get_file_contents list_commits list_issues search_code search_issues
      search_users get_issue get_pull_request list_pull_requests get_pull_request_files
      get_pull_request_status get_pull_request_comments get_pull_request_reviews
    `),
    ...writes(`
      create_or_update_file create_repository push_files create_issue create_pull_request
      fork_repository create_branch update_issue add_issue_comment update_pull_request_branch
    `),
  },
  notes: [
    'This package is the archived reference server, pinned; GitHub maintains its remote server: connect "github remote".',
    'The npm package "github-mcp-server" is not from GitHub.',
  ],
})
