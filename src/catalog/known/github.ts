/** GitHub. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { givesJson, json, knownService, npm, reads, token, writes } from '../known-service.ts'

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
  formats: {
    body: ['quick-actions', 'mentions', 'markdown'],
    comment: ['quick-actions', 'mentions', 'markdown'],
    comments: ['quick-actions', 'mentions', 'markdown'],
    content: ['ci'],
    files: ['ci'],
  },
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
      identity: { url: 'https://api.github.com/user', field: 'login' },
    },
  ],
  verify: { tool: 'search_repositories', args: { query: 'is:public', perPage: 1 } },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads('get_file_contents'),
    ...writes(`
      create_or_update_file create_repository push_files fork_repository create_branch update_issue
      update_pull_request_branch
    `),
    // Each answers with the JSON of GitHub's API. Names, counts, branches and the dates of commits are untrusted: authors choose them.
    ...givesJson('[*].sha [*].node_id', 'list_commits'),
    ...givesJson('[*].id [*].number [*].state [*].created_at [*].updated_at', 'list_issues'),
    ...givesJson('items[*].id items[*].number items[*].state items[*].created_at', 'search_issues'),
    ...givesJson('items[*].id items[*].created_at items[*].updated_at', 'search_repositories'),
    ...givesJson('items[*].sha', 'search_code'),
    ...givesJson('items[*].id', 'search_users'),
    ...givesJson('id number state created_at updated_at closed_at', 'get_issue'),
    ...givesJson('id number state created_at updated_at closed_at merged_at', 'get_pull_request'),
    ...givesJson('[*].id [*].number [*].state [*].created_at', 'list_pull_requests'),
    ...givesJson('[*].sha', 'get_pull_request_files'),
    ...givesJson('sha', 'get_pull_request_status'),
    ...givesJson('[*].id [*].created_at', 'get_pull_request_comments'),
    ...givesJson('[*].id [*].submitted_at', 'get_pull_request_reviews'),
    create_issue: { semantics: 'write', ...json('id number') },
    create_pull_request: { semantics: 'write', ...json('id number') },
    add_issue_comment: { semantics: 'write', ...json('id') },
  },
  notes: [
    'This package is the archived reference server, pinned; GitHub maintains its remote server: connect "github remote".',
    'The npm package "github-mcp-server" is not from GitHub.',
  ],
})
