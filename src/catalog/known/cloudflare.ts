/** Cloudflare. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, remote, runs, token } from '../known-service.ts'

export const cloudflare: Service = knownService({
  slug: 'cloudflare',
  title: 'Cloudflare',
  about: 'Workers, storage, DNS and everything else of a Cloudflare account.',
  aliases: ['cloudflare.com', '@cloudflare/mcp-server-cloudflare'],
  label: 'sensitive',
  launch: remote('https://mcp.cloudflare.com/mcp'),
  domains: ['mcp.cloudflare.com'],
  credentials: [
    token('bearer', 'cloudflare_token', {
      title: 'API token',
      where: 'dash.cloudflare.com/profile/api-tokens → Create Token',
      url: 'https://dash.cloudflare.com/profile/api-tokens',
    }),
  ],
  oauth: [{ kind: 'mcp', key: 'bearer' }],
  tools: runs('execute'),
  notes: [
    'Its execute tool runs code against the whole account, so what the token may do is the only limit.',
  ],
})
