/** Linear. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { gives, knownService, npm, reads, token, writes } from '../known-service.ts'

export const linear: Service = knownService({
  slug: 'linear',
  title: 'Linear',
  about: 'Issues, projects, cycles and roadmaps.',
  aliases: ['linear.app'],
  launch: npm(
    '@tacticlaunch/mcp-linear',
    '1.4.3',
    'sha512-AnAINUcA7SV0tvFHP8mmOUoUGRdLx2wnBsAJ3HtJAq2m62QTWwfqA/OaLK2/Bl51lA3mY9dBAGxRFbrhKa5kcA==',
  ),
  domains: ['api.linear.app'],
  credentials: [
    token('LINEAR_API_TOKEN', 'linear_token', {
      where: 'linear.app/settings/account/security → Personal API keys → New',
      url: 'https://linear.app/settings/account/security',
      prefixes: ['lin_api_', 'lin_oauth_'],
    }),
  ],
  verify: { tool: 'linear_getViewer', args: {} },
  tools: {
    // What is not named here cannot be taken back, or nobody can tell.
    ...reads(`
      linear_getViewer linear_getOrganization linear_getTeamMemberships linear_getTeamLabels
      linear_getProjectById linear_getProjectUpdateById linear_getProjectUpdates
      linear_getProjectMembers linear_getRoadmaps linear_getRoadmapById linear_getReleasePipelines
      linear_getReleasePipelineById linear_getReleases linear_getReleaseById linear_searchReleases
      linear_getReleaseStages linear_getReleaseNotes linear_getReleaseNoteById linear_getMilestones
      linear_getMilestoneById linear_getDocuments linear_getDocumentById linear_getProjectDocuments
      linear_getInitiativeDocuments linear_getTeamDocuments linear_getIssueDocuments
      linear_getReleaseDocuments linear_getCycleDocuments linear_getTeamResources
      linear_searchDocuments linear_getDocumentContentHistory linear_getRateLimitStatus
      linear_getServerStatus linear_getManagedOAuthApplications
      linear_getManagedOAuthApplicationById linear_getWebhookById linear_getWebhooks
      linear_getAttachments linear_getNotifications linear_getSubscriptions
      linear_getUnreadNotificationCount linear_getAuthenticationSessions
      linear_getOrganizationAuditEvents linear_getUserAuditEvents linear_getIntegrations
      linear_getSavedViews linear_getFavoriteViews linear_getCycleById linear_getCycleStats
      linear_getActiveCycle linear_getCycleIssues linear_getInitiatives linear_getInitiativeById
      linear_getInitiativeProjects linear_getInitiativeUpdateById linear_getInitiativeUpdates
      linear_getCustomers linear_getCustomerById linear_getCustomerNeeds linear_getCustomerNeedById
      linear_getCustomerStatuses linear_getCustomerTiers linear_getIssueById linear_getCustomFields
      linear_getIssueCustomFields linear_getIssueTemplates linear_getIssueTemplateById
      linear_getTeamTemplates linear_getIssueHistory
    `),
    ...writes(`
      linear_createWorkflowState linear_createTeam linear_createTeamLabel linear_createProject
      linear_updateProject linear_createProjectUpdate linear_updateProjectUpdate
      linear_unarchiveProjectUpdate linear_addIssueToProject linear_addProjectMember
      linear_createRoadmap linear_updateRoadmap linear_createReleasePipeline
      linear_updateReleasePipeline linear_unarchiveReleasePipeline linear_createReleaseStage
      linear_updateReleaseStage linear_unarchiveReleaseStage linear_createRelease
      linear_updateRelease linear_unarchiveRelease linear_addIssueToRelease linear_createReleaseNote
      linear_updateReleaseNote linear_createMilestone linear_updateMilestone linear_createDocument
      linear_updateDocument linear_unarchiveDocument linear_addAttachment
      linear_markNotificationAsRead linear_markAllNotificationsAsRead linear_createSavedView
      linear_updateSavedView linear_addToFavorites linear_createCycle linear_updateCycle
      linear_addIssueToCycle linear_createInitiative linear_updateInitiative
      linear_unarchiveInitiative linear_createInitiativeUpdate linear_updateInitiativeUpdate
      linear_unarchiveInitiativeUpdate linear_addProjectToInitiative linear_createCustomer
      linear_updateCustomer linear_createCustomerNeed linear_createCustomerNeedFromAttachment
      linear_updateCustomerNeed linear_unarchiveCustomerNeed linear_createIssue linear_updateIssue
      linear_updateIssueCustomField linear_createComment linear_updateComment linear_addIssueLabel
      linear_createIssueTemplate linear_updateIssueTemplate linear_createIssueFromTemplate
      linear_assignIssue linear_subscribeToIssue linear_convertIssueToSubtask
      linear_createIssueRelation linear_setIssuePriority linear_duplicateIssue
    `),
    // Their answers have a known shape; ids are Linear's own.
    ...gives(
      ['items[*].id'],
      `
      linear_getTeams linear_getUsers linear_getLabels linear_getWorkflowStates linear_getProjects
      linear_getCycles linear_getComments
    `,
    ),
    ...gives(
      [
        'items[*].id',
        'items[*].identifier',
        'items[*].state.id',
        'items[*].createdAt',
        'items[*].updatedAt',
      ],
      'linear_getIssues linear_searchIssues linear_getProjectIssues',
    ),
  },
  notes: [
    'A community server with 198 tools. The npm package "linear-mcp-server" is somebody else\'s.',
  ],
})
