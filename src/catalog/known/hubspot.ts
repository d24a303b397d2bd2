/** HubSpot. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const hubspot: Service = knownService({
  slug: 'hubspot',
  title: 'HubSpot',
  about: 'Contacts, companies, deals and their history.',
  aliases: ['hubspot.com'],
  label: 'sensitive',
  launch: npm(
    '@hubspot/mcp-server',
    '0.4.0',
    'sha512-nNNrqysJrCkPb8XWl3wd2d61nTLf8IAnfWOHag4FCSRKRjSXuIE/2h4GVUcPmVhJVaN7RsIq8C43BMFV+EI9GA==',
  ),
  domains: ['api.hubapi.com', 'api.hubspot.com'],
  formats: { metadata: ['html'], body: ['html'] },
  credentials: [
    token('PRIVATE_APP_ACCESS_TOKEN', 'hubspot_token', {
      title: 'access token',
      where: 'app.hubspot.com/private-apps → your app → Auth → Access token',
      url: 'https://app.hubspot.com/private-apps',
      prefixes: ['pat-na1-', 'pat-eu1-'],
    }),
  ],
  verify: { tool: 'hubspot-get-user-details', args: {} },
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      hubspot-get-user-details hubspot-list-objects hubspot-search-objects
      hubspot-get-association-definitions hubspot-list-associations hubspot-batch-read-objects
      hubspot-list-properties hubspot-get-property hubspot-get-engagement
      hubspot-generate-feedback-link hubspot-get-schemas hubspot-get-link hubspot-list-workflows
      hubspot-get-workflow
    `),
    ...writes(`
      hubspot-batch-create-associations hubspot-batch-create-objects hubspot-create-property
      hubspot-update-property hubspot-create-engagement hubspot-update-engagement
    `),
  },
  notes: ['It calls all of its tools harmless, updates in bulk included; do not go by its word.'],
})
