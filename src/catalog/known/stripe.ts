/** Stripe. Data only. */
import type { Service } from '../../ports/service-facts.ts'
import { knownService, reads, remote, token, writes } from '../known-service.ts'

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
  tools: {
    // Not listed: tools that move, promise or return money, or call any endpoint of the API.
    ...reads(`
      fetch_stripe_resources get_stripe_account_info list_coupons list_customers list_disputes
      list_invoices list_payment_intents list_prices list_products list_refunds
      list_subscriptions retrieve_balance search_stripe_documentation search_stripe_resources
      stripe_api_details stripe_api_read stripe_api_search
    `),
    ...writes('create_customer create_price create_product'),
  },
  notes: [
    'It moves money. A restricted key with read permissions is the safe way to begin.',
    'The npm package @stripe/mcp only forwards to this address, and hangs where it cannot reach it.',
  ],
})
