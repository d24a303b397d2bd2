/** Todoist. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, reads, token } from '../known-service.ts'

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
  credentials: [
    token('TODOIST_API_KEY', 'todoist_token', {
      title: 'API token',
      where: 'app.todoist.com → Settings → Integrations → Developer → Copy API token',
      url: 'https://app.todoist.com/app/settings/integrations/developer',
    }),
  ],
  verify: { tool: 'user-info', args: {} },
  tools: reads('user-info'),
})
