/** Airbnb. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads } from '../known-service.ts'

export const airbnb: Service = knownService({
  slug: 'airbnb',
  title: 'Airbnb',
  about: 'Search listings and read their details.',
  aliases: ['airbnb.com'],
  label: 'public',
  launch: npm(
    '@openbnb/mcp-server-airbnb',
    '0.3.0',
    'sha512-igJNB5RAEb4LyQphl++B3kL8ONCnl/pcF6qVAsE2E75//6vmcwgSoHqmdf+bHNdAXZ4Hma9eetxdkPJd088IdA==',
  ),
  domains: ['www.airbnb.com', 'photon.komoot.io', 'nominatim.openstreetmap.org'],
  tools: {
    ...reads('airbnb_search', 'airbnb_listing_details'),
  },
  notes: ['A community server that reads the public site; it keeps to robots.txt.'],
})
