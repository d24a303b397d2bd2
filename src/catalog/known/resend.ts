/** Resend. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, npm, token } from '../known-service.ts'

export const resend: Service = knownService({
  slug: 'resend',
  title: 'Resend',
  about: 'Send mail, and manage domains, contacts and broadcasts.',
  aliases: ['resend.com'],
  label: 'sensitive',
  launch: npm(
    'resend-mcp',
    '2.22.0',
    'sha512-HSS4nO8APf417mgpyl+R+69Fw1go90/eonPBkkBoBNeSzptCOqA+TfEJybZjfdvCq2FPcx63hVRlFPJ6q95kIQ==',
  ),
  domains: ['api.resend.com'],
  credentials: [
    token('RESEND_API_KEY', 'resend_token', {
      title: 'API key',
      where: 'resend.com/api-keys → Create API key',
      url: 'https://resend.com/api-keys',
      prefixes: ['re_'],
      pattern: '^re_[A-Za-z0-9]{6,}_[A-Za-z0-9]{16,}$',
    }),
  ],
  verify: { tool: 'list-domains', args: {} },
  notes: [
    'A key that may only send cannot list domains, and will look wrong to the check after connecting.',
  ],
})
