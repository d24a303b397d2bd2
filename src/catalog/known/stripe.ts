/** Stripe. Data only. */
import type { Service } from '../../kernel/service-facts.ts'
import { knownService, remote, token } from '../known-service.ts'

export const stripe: Service = knownService({
  slug: 'stripe',
  title: 'Stripe',
  about: 'Customers, payments, invoices and subscriptions.',
  aliases: ['stripe.com', '@stripe/mcp'],
  label: 'regulated',
  launch: remote('https://mcp.stripe.com'),
  domains: ['mcp.stripe.com'],
  credentials: [
    token('bearer', 'stripe_token', {
      title: 'restricted key',
      where: 'dashboard.stripe.com/apikeys → Create restricted key',
      url: 'https://dashboard.stripe.com/apikeys',
      prefixes: ['rk_live_', 'rk_test_', 'sk_live_', 'sk_test_'],
    }),
  ],
  oauth: [{ kind: 'mcp', key: 'bearer' }],
  notes: [
    'It moves money. A restricted key with read permissions is the safe way to begin.',
    'The npm package @stripe/mcp only forwards to this address, and hangs where it cannot reach it.',
  ],
})
