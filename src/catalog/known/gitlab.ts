/** GitLab. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { givesJson, json, knownService, npm, reads, token, writes } from '../known-service.ts'

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
  formats: {
    body: ['quick-actions', 'mentions', 'markdown'],
    description: ['quick-actions', 'mentions', 'markdown'],
    note: ['quick-actions', 'mentions', 'markdown'],
    patch: ['quick-actions', 'mentions', 'markdown'],
    content: ['ci'],
    files: ['ci'],
    actions: ['ci'],
  },
  credentials: [
    token('GITLAB_PERSONAL_ACCESS_TOKEN', 'gitlab_token', {
      where: 'gitlab.com → Preferences → Access tokens → Add new token, scope read_api or api',
      url: 'https://gitlab.com/-/user_settings/personal_access_tokens',
      prefixes: ['glpat-', 'gloas-'],
    }),
  ],
  verify: { tool: 'whoami', args: {} },
  accountField: 'username',
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      get_merge_request_approval_state get_merge_request_conflicts list_merge_request_pipelines
      search_repositories get_file_contents get_branch list_branches list_protected_branches
      get_protected_branch get_merge_request_diffs list_merge_request_changed_files
      list_merge_request_diffs get_merge_request_file_diff list_merge_request_versions
      get_merge_request_version get_branch_diffs mr_discussions get_merge_request_discussion
      get_merge_request_note get_merge_request_notes get_draft_note list_draft_notes
      list_merge_request_emoji_reactions list_merge_request_note_emoji_reactions
      list_issue_emoji_reactions list_issue_note_emoji_reactions list_issue_links
      list_issue_discussions get_issue_link list_namespaces get_namespace verify_namespace
      list_project_members list_group_members get_label get_repository_tree validate_ci_lint
      validate_project_ci_lint list_ci_catalog_resources get_ci_catalog_resource get_users
      get_user get_commit_diff get_file_blame list_commit_statuses list_group_iterations
      download_attachment health_check list_events get_project_events
    `),
    ...writes(`
      unapprove_merge_request create_or_update_file create_repository create_group fork_repository
      create_branch update_merge_request create_note create_merge_request_thread
      resolve_merge_request_thread update_merge_request_discussion_note
      create_merge_request_discussion_note create_merge_request_note update_merge_request_note
      create_draft_note update_draft_note publish_draft_note create_merge_request_emoji_reaction
      create_merge_request_note_emoji_reaction update_issue_note create_issue_note
      create_issue_emoji_reaction create_issue_note_emoji_reaction update_issue
      update_issue_description_patch mark_todo_done mark_all_todos_done create_issue_link
      create_label update_label
    `),
    // Each answers with the JSON of GitLab's API. Names, and the dates of commits, are untrusted: authors choose them.
    ...givesJson(
      '[*].id [*].iid [*].project_id [*].state [*].created_at [*].updated_at',
      'list_issues my_issues list_merge_requests list_group_merge_requests',
    ),
    ...givesJson('id iid project_id state created_at updated_at', 'get_issue get_merge_request'),
    ...givesJson('[*].id [*].created_at', 'list_projects list_group_projects'),
    ...givesJson('id created_at', 'get_project'),
    ...givesJson('[*].id', 'list_commits list_labels list_todos'),
    ...givesJson('id', 'get_commit whoami'),
    create_issue: { semantics: 'write', ...json('id iid') },
    create_merge_request: { semantics: 'write', ...json('id iid') },
  },
  notes: [
    'A community server. It lists 118 tools; most people need a tenth of them.',
    'Uses worker threads: where Cordon can make no control group, run `cordon mcp edit gitlab --memory 1g`.',
  ],
})
