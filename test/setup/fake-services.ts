/** A small catalog for tests: services of every kind that a connection has to deal with. */
import type { Catalog } from '../../src/ports/catalog-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { serverIdFor } from '../../src/kernel/server-id.ts'
import type { CredentialNeed, Service } from '../../src/ports/service-facts.ts'

export function service(title: string, parts: Partial<Service> = {}): Service {
  const slug = serverIdFor(title)
  return {
    slug,
    title,
    about: `${title}, for tests`,
    aliases: [],
    origin: 'catalog',
    source: { kind: 'catalog', name: slug },
    label: 'internal',
    launch: { kind: 'npm', package: `@test/${slug}`, version: '1.2.3', args: [] },
    domains: [`api.${slug}.test`],
    telemetryDomains: [],
    credentials: [],
    oauth: [],
    env: {},
    tools: {},
    notes: [],
    ...parts,
  }
}

export function token(key: string, parts: Partial<CredentialNeed> = {}): CredentialNeed {
  return { key, secret: key.toLowerCase(), title: 'token', prefixes: [], required: true, ...parts }
}

const NOTION: Service = service('Notion', {
  credentials: [
    token('NOTION_TOKEN', {
      where: 'notion.so/profile/integrations → Create → Copy secret',
      prefixes: ['ntn_'],
      pattern: '^ntn_[A-Za-z0-9]{20,}$',
    }),
  ],
  env: { DO_NOT_TRACK: '1' },
  memoryLimit: '512m',
  verify: { tool: 'API-get-self', args: {} },
})

const DATABASE: Service = service('Database', {
  domains: [],
  credentials: [token('DSN', { prefixes: ['postgres://'], isAddress: true })],
})

const GITHUB: Service = service('GitHub', {
  credentials: [token('GITHUB_TOKEN', { prefixes: ['github_pat_', 'ghp_'] })],
  oauth: [
    {
      kind: 'device',
      provider: 'github',
      deviceUrl: 'https://github.test/device/code',
      tokenUrl: 'https://github.test/token',
      scopes: ['repo'],
      key: 'GITHUB_TOKEN',
    },
  ],
  verify: { tool: 'API-get-self', args: {} },
})

/** A token, a plain setting, and an optional token. */
const SLACK: Service = service('Slack', {
  credentials: [
    token('SLACK_BOT_TOKEN', { prefixes: ['xoxb-'] }),
    {
      key: 'SLACK_TEAM_ID',
      title: 'team id',
      prefixes: [],
      pattern: '^T[A-Z0-9]{5,}$',
      required: true,
    },
    token('SLACK_APP_TOKEN', { required: false }),
  ],
  verify: { tool: 'API-get-self', args: {} },
})

const WEATHER: Service = service('Weather')

/** A remote server that tells the client whether it needs a token. */
const TRACKER: Service = service('Tracker', {
  launch: { kind: 'remote', url: 'https://mcp.tracker.test/mcp', transport: 'stream-http' },
  oauth: [{ kind: 'mcp', key: 'bearer' }],
})

/** A service without a `verify` call, but with the semantics of its tools in the catalog. */
const CALENDAR: Service = service('Calendar', {
  credentials: [token('CALENDAR_TOKEN')],
  tools: { wipe: { semantics: 'write' }, list: { semantics: 'read' } },
})

const KNOWN = [NOTION, DATABASE, GITHUB, SLACK, WEATHER, TRACKER, CALENDAR]
const TOKENS: readonly (readonly [RegExp, Service])[] = [
  [/^ntn_[A-Za-z0-9]{20,}$/, NOTION],
  [/^(?:ghp_|github_pat_)\w{20,}$/, GITHUB],
  [/^xoxb-[\w-]{10,}$/, SLACK],
]

export const CATALOG: Catalog = {
  services: KNOWN,
  find: (name) => KNOWN.find(({ slug }) => slug === name.trim().toLowerCase()),
  suggest: (name) =>
    KNOWN.map(({ slug }) => slug)
      .filter((slug) => slug[0] === name[0])
      .slice(0, 3),
  imitates: (name) => (name !== 'notion' && /^n[o0]t[il1][o0]n$/.test(name) ? NOTION : undefined),
  parsePasted(text) {
    if (text.includes('--api-key')) {
      const hint = 'Paste it again without the token'
      throw new CordonError('catalog.secret-in-text', { exit: 2, hint }, 'Cannot use that line')
    }
    if (/^https?:\/\/[^/]*\s/.test(text))
      throw new CordonError(
        'catalog.paste',
        { exit: 2, hint: 'Paste one line' },
        'Cannot read that line',
      )
    const [, name] = /^npx (?:-y )?(\S+)$/.exec(text) ?? []
    if (name !== undefined) {
      const launch = { kind: 'npm', package: name, version: '1.0.0', args: [] } as const
      const title = name.split('/').at(-1) ?? name
      return service(title, { origin: 'pasted', launch, credentials: [token('NOTION_TOKEN')] })
    }
    if (!/^[a-z0-9.-]+\.[a-z]{2,}$/.test(text)) return undefined
    const launch = { kind: 'http', baseUrl: `https://${text}` } as const
    return service(text.split('.')[0] ?? text, { origin: 'domain', launch, domains: [text] })
  },
  parseLaunch: () => undefined,
  serviceOfToken(text) {
    const words = text.split(/[^\w.~+-]+/)
    return TOKENS.find(([pattern]) => words.some((word) => pattern.test(word)))?.[1]
  },
}
