/** Linear. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

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
  notes: [
    'A community server with 198 tools. The npm package "linear-mcp-server" is somebody else\'s.',
  ],
})
