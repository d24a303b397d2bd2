/**
 * The tools of servers that vendors host and whose program is another than the local one, as the vendors publish them.
 * Data only. Not listed: tools that cannot be undone, publish, start or merge something, fetch an address of the
 * caller's choice, or whose effect is not known; every use of those is asked about.
 */
import type { ToolOverride } from '../../kernel/server-definition.ts'
import { reads, writes } from '../known-service.ts'

type Tools = Readonly<Record<string, ToolOverride>>

export const NOTION_REMOTE_TOOLS: Tools = {
  ...reads(`
    notion-search notion-fetch notion-get-comments notion-get-teams notion-get-users
    notion-query-data-sources notion-query-meeting-notes notion-get-async-task
  `),
  // Not listed: updating a page or a data source can replace content or move it to the trash.
  ...writes(`
    notion-create-database notion-create-folder notion-create-view notion-update-view
    notion-duplicate-page
  `),
  'notion-create-pages': { semantics: 'write', roles: { pages: 'content' } },
  'notion-create-comment': { semantics: 'write', roles: { rich_text: 'content' } },
}

export const GITLAB_REMOTE_TOOLS: Tools = {
  ...reads(`
    get_artifact_file get_commit get_issue get_job get_job_log get_mcp_server_version
    get_merge_request get_merge_request_commits get_merge_request_conflicts
    get_merge_request_diffs get_merge_request_notes get_merge_request_pipelines get_pipeline
    get_pipeline_jobs get_project get_repository_file get_saved_view_work_items get_user
    get_work_item get_work_item_types get_workitem_notes list_branches list_commits list_groups
    list_merge_requests list_pipelines list_project_members list_projects list_releases
    list_repository_tree list_tags list_work_items search search_labels semantic_code_search
    semantic_search
  `),
  ...writes(`
    add_branch create_issue create_merge_request create_merge_request_note create_workitem_note
    fork_repository link_work_items save_merge_request save_note save_work_item
  `),
}

export const LINEAR_REMOTE_TOOLS: Tools = {
  ...reads(`
    get_attachment get_document get_initiative get_issue get_issue_status get_milestone
    get_project get_status_updates get_team get_user list_comments list_cycles list_documents
    list_initiatives list_issue_labels list_issue_statuses list_issues list_milestones
    list_project_labels list_projects list_teams list_users search_documentation
  `),
  ...writes(`
    create_attachment create_comment create_document create_issue create_issue_label
    create_milestone save_comment save_document save_initiative save_issue save_milestone
    save_project save_status_update update_document update_issue update_milestone
  `),
}

export const ATLASSIAN_REMOTE_TOOLS: Tools = {
  ...reads(`
    atlassianUserInfo fetch getAccessibleAtlassianResources getCompassComponent
    getCompassComponents getCompassCustomFieldDefinitions getConfluenceCommentChildren
    getConfluencePage getConfluencePageAncestors getConfluencePageDescendants
    getConfluencePageFooterComments getConfluencePageInlineComments getConfluenceSpaces
    getContentFormatGuide getIssueLinkTypes getJiraIssue getJiraIssueRemoteIssueLinks
    getJiraIssueTypeMetaWithFields getJiraProjectIssueTypesMetadata getPagesInConfluenceSpace
    getTransitionsForJiraIssue getVisibleJiraProjects lookupJiraAccountId search
    searchConfluenceUsingCql searchJiraIssuesUsingJql
  `),
  // Pages and issues keep their history. Not listed: a transition may have no way back.
  ...writes(`
    addCommentToJiraIssue addWorklogToJiraIssue createCompassComponent
    createCompassComponentRelationship createCompassCustomFieldDefinition
    createConfluenceFooterComment createConfluenceInlineComment createConfluencePage
    createIssueLink createJiraIssue editJiraIssue updateConfluencePage
  `),
}

export const AIRTABLE_REMOTE_TOOLS: Tools = {
  ...reads(`
    get_table_schema list_bases list_records_for_table list_tables_for_base search_bases
    search_records
  `),
  ...writes('create_field'),
  create_records_for_table: { semantics: 'write', roles: { records: 'content' } },
}
