/**
 * The tools of GitHub's own remote server, built from github/github-mcp-server: those that its source marks as
 * read-only, and those whose effect can be undone. Data only.
 */
import type { ToolOverride } from '../../kernel/server-definition.ts'
import { reads, writes } from '../known-service.ts'

export const GITHUB_REMOTE_TOOLS: Readonly<Record<string, ToolOverride>> = {
  // Not listed: tools that cannot be undone, publish something, start an agent, or whose effect is unknown.
  ...reads(`
    actions_get actions_list find_duplicate get_code_quality_finding get_code_scanning_alert
    get_commit get_dependabot_alert get_discussion get_discussion_comments get_file_blame
    get_file_contents get_gist get_global_security_advisory get_job_logs get_label
    get_latest_release get_me get_notification_details get_release_by_tag get_repository_tree
    get_secret_scanning_alert get_tag get_team_members get_teams issue_dependency_read issue_read
    list_branches list_code_scanning_alerts list_commits list_dependabot_alerts
    list_discussion_categories list_discussions list_gists list_global_security_advisories
    list_issue_fields list_issue_types list_issues list_label list_notifications
    list_org_repository_security_advisories list_pull_requests list_releases
    list_repository_collaborators list_repository_security_advisories list_secret_scanning_alerts
    list_starred_repositories list_tags projects_get projects_list pull_request_read search_code
    search_commits search_issues search_orgs search_pull_requests search_repositories search_users
  `),
  ...writes(`
    add_comment_to_pending_review add_issue_comment add_reply_to_pull_request_comment create_branch
    create_or_update_file create_pull_request create_repository fork_repository
    issue_dependency_write issue_write pull_request_review_write push_files star_repository
    sub_issue_write unstar_repository update_pull_request update_pull_request_branch
  `),
}
