/** Todoist. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { directory, gives, knownService, npm, reads, token, writes } from '../known-service.ts'

/** The fields of a task that Todoist itself generates. */
const TASKS: readonly string[] = [
  'tasks[*].id',
  'tasks[*].projectId',
  'tasks[*].sectionId',
  'tasks[*].addedAt',
]

export const todoist: Service = knownService({
  slug: 'todoist',
  title: 'Todoist',
  about: 'Tasks, projects and labels.',
  aliases: ['todoist.com', '@doist/todoist-ai'],
  launch: npm(
    '@doist/todoist-mcp',
    '11.0.0',
    'sha512-yAC+tPd2CSz6yF9ZrUYK9KXpjJUijRua/vSrCX2ls6R1wbkGJtRorz3STkW0qBMbqCRlf2KgJjZw1mpOUtCEyQ==',
    { bin: 'todoist-mcp' },
  ),
  domains: ['api.todoist.com'],
  formats: { content: ['markdown'], description: ['markdown'] },
  memoryLimit: '512m',
  credentials: [
    token('TODOIST_API_KEY', 'todoist_token', {
      title: 'API token',
      where: 'app.todoist.com → Settings → Integrations → Developer → Copy API token',
      url: 'https://app.todoist.com/app/settings/integrations/developer',
    }),
  ],
  verify: { tool: 'user-info', args: {} },
  tools: {
    // Not listed: tools that replace or move existing content, or cannot be undone.
    ...reads(`
      view-attachment get-productivity-stats get-project-health get-project-activity-stats
      get-workspace-insights get-overview
    `),
    ...gives(TASKS, 'find-tasks find-tasks-by-date find-completed-tasks'),
    ...gives(['projects[*].id', 'nextCursor'], 'find-projects'),
    ...gives(['sections[*].id'], 'find-sections'),
    ...gives(
      ['comments[*].id', 'comments[*].taskId', 'comments[*].postedAt', 'nextCursor'],
      'find-comments',
    ),
    ...gives(['reminders[*].id', 'reminders[*].taskId'], 'find-reminders'),
    ...gives(['labels[*].id', 'nextCursor'], 'find-labels'),
    ...gives(['filters[*].id'], 'find-filters'),
    ...gives(['events[*].id', 'nextCursor'], 'find-activity'),
    'find-project-collaborators': { semantics: 'read', ...directory('collaborators[*].id') },
    ...gives(['workspaces[*].id', 'workspaces[*].createdAt'], 'list-workspaces'),
    ...gives(['results[*].id'], 'search'),
    ...gives(['id'], 'fetch fetch-object'),
    ...gives(['userId'], 'user-info'),
    ...writes(`
      uncomplete-tasks add-projects add-sections add-comments add-reminders add-labels add-filters
      project-management analyze-project-health reorder-objects
    `),
    'add-tasks': { semantics: 'write', fields: TASKS },
  },
})
