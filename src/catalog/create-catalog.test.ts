import assert from 'node:assert/strict'
import { test } from 'node:test'
import { assertLinear } from '../text/test-linear.ts'
import { createCatalog } from './create-catalog.ts'

const catalog = createCatalog()

test('find() takes a name in any case, width, spacing and punctuation', () => {
  const names = {
    notion: [
      'Notion',
      ' NOTION ',
      'Ｎｏｔｉｏｎ',
      'notion mcp',
      'Nоtion',
      '@modelcontextprotocol/server-notion',
      '@notionhq/notion-mcp-server',
      'notion.so',
    ],
  }
  for (const name of names.notion) assert.equal(catalog.find(name)?.slug, 'notion', name)
  for (const name of ['Google Drive', 'google-drive', 'google_drive', 'GDrive', 'googledrive']) {
    assert.equal(catalog.find(name)?.slug, 'google-drive', name)
  }
  assert.equal(catalog.find('Jira')?.slug, 'atlassian')
  assert.equal(catalog.find('notion remote')?.slug, 'notion-remote')
  assert.equal(catalog.find('jira remote')?.slug, 'atlassian-remote')
})

test('find() does not take a package or a domain for another that reads the same', () => {
  for (const name of [
    'notionhq-notion-mcp-server',
    '@notion/hq-notion-mcp-server',
    'not.ion',
    'n0tion',
    'noti0n',
    'notino',
    'milk',
    '',
  ]) {
    assert.equal(catalog.find(name), undefined, name)
  }
})

test('suggest() names what is close, best first, and nothing that is not', () => {
  assert.equal(catalog.suggest('notoin')[0], 'notion')
  assert.equal(catalog.suggest('githb')[0], 'github')
  assert.deepEqual(catalog.suggest('brav').slice(0, 1), ['brave-search'])
  assert.deepEqual(catalog.suggest('milk and honey'), [])
  assert.deepEqual(catalog.suggest(''), [])
  assert.ok(catalog.suggest('g').length <= 3)
})

test('imitates() sees other alphabets, digits for letters, swapped and doubled letters', () => {
  const imitations = {
    nоtion: 'notion', // Cyrillic о
    gιthub: 'github', // Greek iota
    ѕtripe: 'stripe', // Cyrillic ѕ
    n0tion: 'notion',
    gihtub: 'github',
    githhub: 'github',
    giithub: 'github',
    linaer: 'linear',
    'nоtion.com': 'notion',
    'xn--ntion-jye.com': 'notion', // how a browser sends nоtion.com
    'gihtub.com': 'github',
    '@n0tionhq/notion-mcp-server': 'notion',
    'notionhq-notion-mcp-server': 'notion',
    'github-mcp-server': 'github',
  }
  for (const [name, slug] of Object.entries(imitations)) {
    assert.equal(catalog.imitates(name)?.slug, slug, name)
  }
})

test('imitates() leaves every known name and every ordinary one alone', () => {
  for (const { slug, title, aliases, launch } of catalog.services) {
    for (const name of [
      slug,
      title,
      ...aliases,
      ...(launch.kind === 'npm' ? [launch.package] : []),
    ]) {
      assert.equal(catalog.imitates(name), undefined, name)
    }
  }
  const ordinary = [
    'tracker.mycompany.com',
    '@acme/weather',
    'memory-mcp',
    'mcp-sqlite', // SQLite asks for a file, and for no token that an imitation could take
    'calendar',
    'my notes',
    'api.github.com',
    'npx -y @acme/tracker',
    'Ｇithub',
  ]
  for (const name of ordinary) assert.equal(catalog.imitates(name), undefined, name)
})

test('serviceOfToken() knows each maker by prefix, the longest first', () => {
  const tail = 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  const tokens = {
    [`ntn_${tail}`]: 'notion',
    [`secret_${tail}k9Z8y7X6`]: 'notion',
    [`ghp_${tail}`]: 'github',
    [`github_pat_${tail}`]: 'github',
    [`sk-${tail}`]: 'openai',
    [`sk-ant-api03-${tail}`]: 'anthropic',
    [`xoxb-1234567890-${tail}`]: 'slack',
    [`lin_api_${tail}`]: 'linear',
    [`sk_live_${tail}`]: 'stripe',
    [`sk_test_${tail}`]: 'stripe',
    [`SG.${tail}.${tail}`]: 'sendgrid',
    [`pat-eu1-${tail}`]: 'hubspot',
    [`patAbCdEfGh123456.${'0a1b2c3d'.repeat(8)}`]: 'airtable',
    'postgres://reader:hunter2@db.example.com/shop': 'postgres',
    [`123456789:${'Aa1'.repeat(11)}Bb`]: 'telegram',
  }
  for (const [token, slug] of Object.entries(tokens)) {
    assert.equal(catalog.serviceOfToken(token)?.slug, slug, token.slice(0, 8))
    assert.equal(catalog.serviceOfToken(`  ${token}\n`)?.slug, slug)
    assert.equal(catalog.serviceOfToken(`my token is ${token}`)?.slug, slug)
  }
})

test('serviceOfToken() finds a token however it is wrapped', () => {
  const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  const wrapped = [
    `token:${token}`,
    `[${token}]`,
    `**${token}**`,
    `__${token}__`,
    `key|${token}`,
    `${token}!`,
    `${token}...`,
    `„${token}“`,
    `- ${token}, thanks`,
    `https://me:${token}@github.com/acme/tracker`,
    `{"token":"${token}"}`,
    `TOKEN=${token}`,
    `see\n\n\`${token}\``,
  ]
  for (const text of wrapped) assert.equal(catalog.serviceOfToken(text)?.slug, 'github', text)
})

test('serviceOfToken() runs in linear time', () => {
  assertLinear(['sk-', 'ghp_ ', '.'], 2_000_000, (text) =>
    assert.equal(catalog.serviceOfToken(text), undefined),
  )
})

test('serviceOfToken() does not fire on ordinary words', () => {
  const words = [
    'hello',
    'secret_santa_list_for_2024',
    'sk-learn',
    'sk-analysis-of-everything-here-in-2024',
    'fc-barcelona-2024-champions',
    're_read_chapter_12_before_friday',
    'patience',
    'pattern-matching-1234567890',
    'SKATEBOARD',
    'postgres://localhost/shop',
    'ghp_',
    'ntn_short',
    'https://example.com/a1B2c3D4e5F6g7H8i9J0',
    'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8',
    '2026-11-15T10:00:00.000Z',
    '',
  ]
  for (const word of words) assert.equal(catalog.serviceOfToken(word), undefined, word)
})
