/** Jira. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, setting, token } from '../known-service.ts'

export const atlassian: Service = knownService({
  slug: 'atlassian',
  title: 'Jira',
  about: 'Jira issues, projects and boards of an Atlassian site.',
  aliases: ['atlassian.net', 'jira', 'atlassian jira', 'jira cloud'],
  launch: npm(
    '@aashari/mcp-server-atlassian-jira',
    '3.3.0',
    'sha512-v16EQgrnXaoG4gd0B1Y5cgX9IMwmMTOZWUx+YJ2F+15hghAHQqJCVUZhnkJSl2NoK3VhLm+HJ8iyfYkAGKTDlg==',
  ),
  domains: ['*.atlassian.net', 'api.atlassian.com'],
  formats: {
    body: ['mentions', 'markdown'],
    description: ['mentions', 'markdown'],
    comment: ['mentions', 'markdown'],
    commentBody: ['mentions', 'markdown'],
  },
  credentials: [
    setting('ATLASSIAN_SITE_NAME', 'site name', {
      where: 'the SITE of https://SITE.atlassian.net',
      pattern: '^[a-z0-9][a-z0-9-]{0,62}$',
    }),
    setting('ATLASSIAN_USER_EMAIL', 'e-mail address', { pattern: '^[^\\s@]+@[^\\s@]+$' }),
    token('ATLASSIAN_API_TOKEN', 'atlassian_token', {
      where: 'id.atlassian.com → Security → API tokens → Create API token',
      url: 'https://id.atlassian.com/manage-profile/security/api-tokens',
      prefixes: ['ATATT'],
      pattern: '^ATATT[A-Za-z0-9_=+/-]{20,}$',
    }),
  ],
  verify: { tool: 'jira_get', args: { path: '/rest/api/3/myself' } },
  tools: {
    // The other tools can call any endpoint of the API, so their effect is unknown.
    ...reads('jira_get'),
  },
  notes: ['For Confluence, or to sign in instead of pasting a token, connect "atlassian remote".'],
})
