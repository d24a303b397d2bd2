/** Figma. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, npm, reads, token, writes } from '../known-service.ts'

export const figma: Service = knownService({
  slug: 'figma',
  title: 'Figma',
  about: 'Read designs and download their images.',
  aliases: ['figma.com', 'framelink'],
  launch: npm(
    'figma-developer-mcp',
    '0.13.2',
    'sha512-7Flx0S/3gI7dIm+9G6BCogwne0o9LdYaCxtDLappiZZUZgqoNiXws/T1kn2R2tqr1iRzFPStqlwf+bPrcscQ0Q==',
    { args: ['--stdio'] },
  ),
  domains: ['api.figma.com'],
  telemetryDomains: ['us.i.posthog.com'],
  credentials: [
    token('FIGMA_API_KEY', 'figma_token', {
      where: 'figma.com/settings → Security → Personal access tokens → Generate',
      url: 'https://www.figma.com/settings',
      prefixes: ['figd_'],
    }),
  ],
  env: { DO_NOT_TRACK: '1', FRAMELINK_TELEMETRY: 'off' },
  tools: {
    ...reads('get_figma_data'),
    ...writes('download_figma_images'),
  },
  notes: ['A community server; Figma lets only approved clients use its own remote one.'],
})
