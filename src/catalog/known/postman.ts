/** Postman. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, runs, token, writes } from '../known-service.ts'

export const postman: Service = knownService({
  slug: 'postman',
  title: 'Postman',
  about: 'Collections, workspaces, environments and mocks.',
  aliases: ['postman.com'],
  launch: npm(
    '@postman/postman-mcp-server',
    '2.13.0',
    'sha512-Zbg5A+CUQNidKWz54j3+mUW8ouqgv4tj55tO2hMRg3VYkqvGSnERLOzHm8bTMLH1MfNnBsIog3IAXeLwoysQ0g==',
  ),
  domains: ['api.postman.com', 'gateway.postman.com'],
  credentials: [
    token('POSTMAN_API_KEY', 'postman_token', {
      title: 'API key',
      where: 'go.postman.co/settings/me/api-keys → Generate API Key',
      url: 'https://go.postman.co/settings/me/api-keys',
      prefixes: ['PMAK-'],
    }),
  ],
  verify: { tool: 'getAuthenticatedUser', args: {} },
  accountField: 'user.username',
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      getAllSpecs getAuthenticatedUser getCollection getCollections getDuplicateCollectionTaskStatus
      getEnabledTools getEnvironment getEnvironments getGeneratedCollectionSpecs getMock getMocks
      getSpec getSpecCollections getSpecDefinition getSpecFile getSpecFiles getTaggedEntities
      getWorkspace getWorkspaces searchPostmanElements
    `),
    ...writes(`
      createCollection createCollectionRequest createCollectionResponse createEnvironment createSpec
      createSpecFile createWorkspace duplicateCollection generateCollection
      generateSpecFromCollection updateCollectionRequest updateSpecFile updateSpecProperties
    `),
    ...runs('runCollection'),
  },
})
