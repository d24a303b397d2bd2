/** Made-up tokens of every known make, for tests. Put together at run time, so that no scanner takes them for leaks. */

const BODY = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8s9T0u1V2w3X4'
const body = (length: number): string => BODY.slice(0, length)
const hex = (length: number): string =>
  '0f1e2d3c4b5a69788796a5b4c3d2e1f0'.repeat(2).slice(0, length)
const join = (...parts: readonly string[]): string => parts.join('')

export const MADE_UP_TOKENS: Readonly<Record<string, string>> = {
  'GitHub, personal': join('gh', 'p_', body(36)),
  'GitHub, fine-grained': join('github', '_pat_', body(22), '_', body(40)),
  GitLab: join('gl', 'pat-', body(20)),
  'GitLab, OAuth': join('gl', 'oas-', body(40)),
  'GitLab, runner': join('gl', 'rt-', body(20)),
  Notion: join('nt', 'n_', body(43)),
  'Notion, older': join('sec', 'ret_', body(43)),
  'Slack, bot': join('xo', 'xb-', '1234567890'),
  'Slack, app': join('xa', 'pp-', '1-A0', body(20)),
  Linear: join('lin', '_api_', body(40)),
  'Linear, OAuth': join('lin', '_oauth_', body(40)),
  Atlassian: join('ATA', 'TT', body(40)),
  'Google, access': join('ya', '29.', body(40)),
  'Google, client': join('GOC', 'SPX-', body(28)),
  'Google, API': join('AI', 'za', body(35)),
  OpenAI: join('sk', '-proj-', body(40)),
  Anthropic: join('sk', '-ant-api03-', body(40)),
  'Stripe, live': join('sk', '_live_', body(24)),
  'Stripe, restricted': join('rk', '_test_', body(24)),
  'Sentry, user': join('sntr', 'yu_', body(40)),
  Brave: join('B', 'SA', body(27)),
  Tavily: join('tv', 'ly-', 'dev-', body(28)),
  Figma: join('fi', 'gd_', body(40)),
  Supabase: join('sb', 'p_', hex(40)),
  HubSpot: join('pat', '-na1-', '0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0'),
  Airtable: join('pat', body(14), '.', hex(64)),
  'MongoDB Atlas': join('mdb', '_sa_sk_', body(40)),
  SendGrid: join('S', 'G.', body(22), '.', body(43)),
  Resend: join('r', 'e_', body(8), '_', body(24)),
  Context7: join('ctx7', 'sk-', body(36)),
  Firecrawl: join('f', 'c-', hex(32)),
  Perplexity: join('pp', 'lx-', body(48)),
  Postman: join('PM', 'AK-', hex(24), '-', hex(34)),
  'AWS, key id': join('AK', 'IA', 'ABCDEFGH2JKLMNOP'),
  'AWS, session': join('AS', 'IA', 'ABCDEFGH2JKLMNOP'),
  'Hugging Face': join('h', 'f_', body(34)),
  npm: join('np', 'm_', body(36)),
  PyPI: join('py', 'pi-', 'AgEIcHlwaS5vcmc', body(40)),
  DigitalOcean: join('do', 'p_v1_', hex(64)),
  Shopify: join('sh', 'pat_', hex(32)),
  age: join('AGE-SEC', 'RET-KEY-', '1QQPQ2XJ7Q0HZ8CY'),
  'Telegram bot': join('123456789', ':', body(35)),
  'JSON Web Token': join('ey', 'J', body(30), '.ey', 'J', body(30), '.', body(40)),
  'private key': join('-----BEGIN OPENSSH ', 'PRIVATE KEY-----\n', body(40)),
}
