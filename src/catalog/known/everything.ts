/** Everything. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, reads, shipped } from '../known-service.ts'

export const everything: Service = knownService({
  slug: 'everything',
  title: 'Everything',
  about: 'Every feature of the protocol, for tests.',
  label: 'internal',
  launch: shipped('@modelcontextprotocol/server-everything', '2026.8.31', {
    integrity:
      'sha512-5U3OZh8Xq0Li4nA26l6uNvV9/1suMDuWSn+NjLZIhzinhMY6N3A4DCrxVecBGPf2PsNFKTEv5krxGPRwzxc7jQ==',
    args: ['stdio'],
  }),
  domains: [],
  tools: {
    // Not listed: tools whose effect cannot be undone, or is unknown.
    ...reads(`
      echo get-annotated-message get-resource-links get-resource-reference get-structured-content
      get-sum get-tiny-image trigger-long-running-operation simulate-research-query
    `),
  },
  notes: ['For trying things out; one of its tools shows the environment it runs in.'],
})
