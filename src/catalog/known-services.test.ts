import { CONTENT_FORMATS } from '../text/content-format.ts'
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { RE2JS } from 're2js'
import { z } from 'zod'
import { SECRET_NAME } from '../kernel/secret-ref.ts'
import { foldName } from '../text/look-alike.ts'
import { SEMANTICS } from '../kernel/server-definition.ts'
import { isServerId } from '../kernel/server-id.ts'
import { ROLES } from '../kernel/tool-facts.ts'
import { KNOWN_SERVICES } from './known-services.ts'

const line = z
  .string()
  .min(1)
  .max(240)
  .regex(/^[^\p{Cc}]+$/u)
const https = z.url({ protocol: /^https$/ })
const domain = z
  .string()
  .max(255)
  .regex(/^(?:\*\.)?(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z]{2,}$/)
const variable = z.string().regex(/^[A-Z][A-Z0-9_]*$/)
const key = z.union([variable, z.literal('bearer')])

const need = z.strictObject({
  key,
  secret: z.string().regex(SECRET_NAME).optional(),
  title: line,
  where: line.optional(),
  url: https.optional(),
  prefixes: z.array(z.string().min(2)),
  pattern: z
    .string()
    .regex(/^\^.*\$$/)
    .optional(),
  isAddress: z.boolean().optional(),
  place: z.enum(['folders', 'file', 'access']).optional(),
  required: z.boolean(),
})

const own = z.strictObject({
  kind: z.literal('npm'),
  package: z.literal('cordon-sqlite'),
  version: z.literal('1.0.0'),
  args: z.tuple([]),
  isShipped: z.literal(true),
})

const launch = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('npm'),
    package: z.string().regex(/^(?:@[a-z0-9.-]+\/)?[a-z0-9.-]+$/),
    version: z.string().regex(/^\d+\.\d+\.\d+$/),
    integrity: z.string().regex(/^sha512-[A-Za-z0-9+/]{86}==$/),
    bin: z.string().optional(),
    args: z.array(z.string()),
    isShipped: z.literal(true).optional(),
  }),
  z.strictObject({ kind: z.literal('remote'), url: https, transport: z.literal('stream-http') }),
  z.strictObject({ kind: z.literal('unsupported'), why: line.regex(/\.$/) }),
])

const revokeUrl = https.optional()
const provider = {
  provider: line,
  tokenUrl: https,
  scopes: z.array(line),
  key,
  identity: z.strictObject({ url: https, field: line }).optional(),
  register: z.strictObject({ where: line, hasSecret: z.boolean() }).optional(),
}

const oauth = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('device'), ...provider, deviceUrl: https }),
  z.strictObject({ kind: z.literal('code'), ...provider, authorizeUrl: https, revokeUrl }),
  z.strictObject({ kind: z.literal('mcp'), key: z.literal('bearer') }),
])

const service = z.strictObject({
  slug: z.string().refine(isServerId),
  title: line,
  about: line,
  aliases: z.array(z.string().regex(/^[a-z0-9 @/.-]+$/)),
  origin: z.literal('catalog'),
  source: z.strictObject({ kind: z.literal('catalog'), name: z.string() }),
  label: z.enum(['public', 'internal', 'sensitive', 'regulated']),
  launch: z.union([own, launch]),
  domains: z.array(domain),
  telemetryDomains: z.array(domain),
  credentials: z.array(need),
  oauth: z.array(oauth),
  env: z.record(variable, z.string()),
  memoryLimit: z
    .string()
    .regex(/^[1-9]\d*m$/)
    .optional(),
  keepsData: z.literal(true).optional(),
  startsBrowser: z.literal(true).optional(),
  verify: z.strictObject({ tool: line, args: z.record(z.string(), z.json()) }).optional(),
  accountField: line.optional(),
  tools: z.record(
    z.string(),
    z.strictObject({
      semantics: z.enum(SEMANTICS).optional(),
      hints: z.literal('ignored').optional(),
      description: line.optional(),
      roles: z.record(z.string(), z.enum(ROLES)).optional(),
      answers: z.literal('json').optional(),
      fields: z.array(z.string().regex(/^[\w.[\]*]+$/)).optional(),
      directory: z.array(z.string().regex(/^[\w.[\]*]+\.id$/)).optional(),
    }),
  ),
  formats: z.record(z.string(), z.array(z.enum(CONTENT_FORMATS)).min(1)).optional(),
  notes: z.array(line.regex(/\.$/)),
})

for (const known of KNOWN_SERVICES) {
  test(`the catalog's ${known.slug} is complete and well formed`, () => {
    service.parse(known)
    assert.equal(known.source.kind === 'catalog' && known.source.name, known.slug)
    const secrets = known.credentials.flatMap(({ secret }) => secret ?? [])
    assert.equal(new Set(secrets).size, secrets.length, 'each secret has a name of its own')
    assert.equal(new Set(known.credentials.map((one) => one.key)).size, known.credentials.length)
    for (const { prefixes, pattern } of known.credentials) {
      assert.deepEqual(
        prefixes,
        prefixes.toSorted((a, b) => b.length - a.length),
      )
      if (pattern !== undefined) RE2JS.compile(pattern)
    }
    const keys = known.credentials.map((one) => one.key)
    for (const method of known.oauth) assert.ok(keys.includes(method.key), 'a token has a place')
    for (const host of known.telemetryDomains) assert.ok(!known.domains.includes(host))
    for (const name of keys) assert.ok(!Object.hasOwn(known.env, name))
    assert.doesNotMatch(JSON.stringify(known.env), /ntn_|ghp_|sk-/)
  })
}

test('no two known services answer to one name', () => {
  const names = KNOWN_SERVICES.flatMap(({ slug, title, aliases }) => [
    ...new Set([slug, title, ...aliases].map(foldName)),
  ])
  assert.deepEqual(
    names.filter((name, at) => names.indexOf(name) !== at),
    [],
  )
})

test('a secret of one service is never the secret of another vendor', () => {
  const owners = Map.groupBy(
    KNOWN_SERVICES.flatMap(({ slug, credentials }) =>
      credentials.flatMap(({ secret }) => (secret ? [{ slug, secret }] : [])),
    ),
    ({ secret }) => secret,
  )
  for (const [secret, uses] of owners) {
    const vendors = new Set(uses.map(({ slug }) => slug.replace(/-remote$/, '')))
    assert.equal(vendors.size, 1, secret)
  }
})

test('the catalog says of Notion and GitHub exactly what was promised', () => {
  const [notion, github] = ['notion', 'github'].map((slug) =>
    KNOWN_SERVICES.find((known) => known.slug === slug),
  )
  assert.deepEqual(
    notion?.credentials.map(({ key: name, secret, where }) => [name, secret, where]),
    [['NOTION_TOKEN', 'notion_token', 'notion.so/profile/integrations → Create → Copy secret']],
  )
  assert.deepEqual(notion?.verify, { tool: 'API-get-self', args: {} })
  assert.equal(notion?.label, 'sensitive')
  assert.deepEqual(notion?.domains, ['api.notion.com'])
  assert.equal(github?.credentials[0]?.secret, 'github_token')
  assert.equal(github?.credentials[0]?.where, 'github.com/settings/tokens → Fine-grained → Copy')
  assert.deepEqual(github?.oauth, [
    {
      kind: 'device',
      provider: 'github',
      deviceUrl: 'https://github.com/login/device/code',
      tokenUrl: 'https://github.com/login/oauth/access_token',
      scopes: ['repo', 'read:org'],
      key: 'GITHUB_PERSONAL_ACCESS_TOKEN',
      identity: { url: 'https://api.github.com/user', field: 'login' },
    },
  ])
})

test('the tool that verifies a connection is known to be a read', () => {
  for (const { slug, verify, tools } of KNOWN_SERVICES) {
    if (verify) assert.equal(tools[verify.tool]?.semantics, 'read', slug)
  }
})

/** Real `tools/list` answers; they are not part of the project. */
const LISTS = new URL('../../../shared/data/tools/', import.meta.url)
const OTHER_NAMES: Readonly<Record<string, string>> = {
  github: 'github-archived',
  slack: 'slack-zencoder',
  atlassian: 'jira',
  'google-drive': 'gdrive',
  postgres: 'sqlite-dbhub',
}
/** Services whose tools are listed by another package or not at all. */
const UNLISTED = new Set([
  'cloudflare',
  'discord',
  'supabase',
  'todoist',
  'outlook',
  'github-remote',
  'sqlite',
  'puppeteer',
])

interface ListedTool {
  readonly name: string
  readonly inputSchema: { readonly required?: readonly string[] }
  readonly annotations?: { readonly destructiveHint?: boolean }
}

test('every service that can run has a word on some of its tools', () => {
  const silent = KNOWN_SERVICES.filter(({ tools }) => Object.keys(tools).length === 0)
  assert.deepEqual(
    silent.map(({ slug, launch: { kind } }) => `${slug} ${kind}`),
    ['redis', 'telegram', 'twilio', 'openai', 'anthropic'].map((slug) => `${slug} unsupported`),
  )
})

/** Facts about a thing that others choose, or that are free text; never generated by the service alone. */
const CHOSEN =
  /^(?:author|sender|owner|user|from|to|attendees?|organizer|assignee|creator|email|name|title|url|link|path|branch|ref|count|total_count|additions|deletions|changes)$/i

test('no field that others choose counts as generated by its service', () => {
  let checked = 0
  for (const { slug, tools } of KNOWN_SERVICES) {
    for (const [name, { fields = [], directory = [] }] of Object.entries(tools)) {
      for (const field of [...fields, ...directory]) {
        const chosen = field.split(/[.[\]*]+/).filter((step) => CHOSEN.test(step))
        assert.deepEqual(chosen, [], `${slug}.${name}: ${field}`)
        checked += 1
      }
    }
  }
  assert.ok(checked > 100, String(checked))
})

/** Tool names that vendors publish of servers of which there is no list; destructive ones included. */
const PUBLISHED = JSON.parse(
  readFileSync(new URL('../../test/fixtures/published-tools.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, { readonly tools: readonly string[] }>>

test('every tool that the catalog names of a remote server is one that its vendor publishes', () => {
  for (const [slug, { tools }] of Object.entries(PUBLISHED)) {
    const known = KNOWN_SERVICES.find((one) => one.slug === slug)
    const named = Object.keys(known?.tools ?? {})
    assert.ok(named.length > 0, slug)
    assert.deepEqual(
      named.filter((name) => !tools.includes(name)),
      [],
      slug,
    )
    // A tool that removes, or that nobody can vouch for, has no word, so it is asked about.
    const removing = named.filter((name) =>
      /delete|remove|cancel|trash|create_refund|write$/i.test(name),
    )
    assert.deepEqual(removing, [], slug)
  }
})

test('every tool that the catalog names is there, and what it verifies with needs nothing more', {
  skip: !existsSync(LISTS) && 'the real tool lists are not here',
}, () => {
  const named = KNOWN_SERVICES.filter(
    ({ slug, verify, tools }) =>
      !UNLISTED.has(slug) && !(slug in PUBLISHED) && (verify || Object.keys(tools).length > 0),
  )
  for (const { slug, verify, tools } of named) {
    const local = slug.replace(/-remote$/, '')
    if (UNLISTED.has(local)) continue
    const file = new URL(`${OTHER_NAMES[local] ?? local}.json`, LISTS)
    const answer = JSON.parse(readFileSync(file, 'utf8')) as
      | readonly ListedTool[]
      | { readonly tools: readonly ListedTool[] }
    const list = 'tools' in answer ? answer.tools : answer
    const names = list.map(({ name }) => name)
    for (const name of Object.keys(tools)) assert.ok(names.includes(name), `${slug}: ${name}`)
    if (!verify) continue
    const tool = list.find(({ name }) => name === verify.tool)
    assert.ok(tool, `${slug}: ${verify.tool}`)
    assert.deepEqual(
      (tool.inputSchema.required ?? []).filter((name) => !Object.hasOwn(verify.args, name)),
      [],
      slug,
    )
    assert.notEqual(tool.annotations?.destructiveHint, true, slug)
  }
  assert.ok(named.length >= 18)
})
