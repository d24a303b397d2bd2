/**
 * "connect notion", as a person does it: the real command line, the real sandbox and proxy, the real Notion server from
 * npm, and a stand-in for api.notion.com that accepts one token.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { finish, seen } from '../fixtures/cordon.ts'
import { createNotion, NOTION_HOST } from '../fixtures/notion-stand-in.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { canary } from '../fixtures/prompts/record-prompt.ts'

const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const WRONG = canary(`ntn_${'Wrong567'.repeat(6)}`)
const SEARCH = 'PFAR design doc'

const notion = createNotion(TOKEN)
const world = await openOutsideWorld({ [NOTION_HOST]: notion.answer })
const cordon = await openCordonIn(world, 'notion')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})
beforeEach(() => {
  notion.asked.length = 0
})

const disconnect = () => cordon.run(['disconnect', 'notion', '--yes'])
const chat = async (...lines: readonly string[]): Promise<string> => {
  const { code, stdout, stderr } = await cordon.run(['chat'], { stdin: `${lines.join('\n')}\n` })
  assert.deepEqual([code, stderr], [0, ''])
  return stdout
}

/** The definitions and the names of the secrets in this home. */
async function left(): Promise<readonly [readonly string[], readonly string[]]> {
  const { secrets } = await cordon.ask<Output<'vault.list'>>(['vault', 'list'])
  return [readdirSync(path.join(cordon.home, 'mcp')), secrets.map(({ name }) => name)]
}

/** Removes the port, the key, and the parts that change with the day and the registry. */
function tidy(text: string): readonly string[] {
  return text
    .trimEnd()
    .replace(/localhost:\d+(\/credential\/\w+)\/[\w-]{43}/g, 'localhost:PORT$1/KEY')
    .replace(/ by .*?, published .*? ago: [\d.]+ MB in \d+ packages/g, ' by SOMEBODY')
    .replace(/ [\w ]+ provenance statement\b[\w ,]*\./g, '')
    .split('\n')
}

const PROMPT = [
  'I need your Notion token. notion.so/profile/integrations → Create → Copy secret.',
  'Enter your token securely: http://localhost:PORT/credential/notion/KEY',
  'Or just paste it here.',
]
const STORED = 'Credential stored. Connecting to Notion...'
const PACKAGE = [
  'Installed @notionhq/notion-mcp-server 2.5.2 by SOMEBODY.',
  'It has no install scripts.',
]
const REFUSED =
  "The Notion token doesn't work (API token is invalid). Send a new token, or 'cancel'."
const VAULT_MADE =
  'There was no vault yet, so I made one with its key in a file beside it: whoever can read this home can read its secrets. `cordon vault rotate --passphrase` protects them with a passphrase.'
const CONNECTED = '✓ Notion connected. 24 tools available.'
const OFFER =
  'I can search pages, read databases, create pages and manage blocks. Want me to test with a search?'
const NO_ANSWER =
  'I can’t do that yet: nothing is connected. Try `connect filesystem` first. `help` shows what I understand.'

test('in a terminal: connect, paste, stored, connected, a search answered, disconnect', async () => {
  const { code, stdout, stderr } = await cordon.run(['connect', 'notion'], { stdin: TOKEN })
  assert.deepEqual(tidy(stderr), [...PROMPT, VAULT_MADE, STORED, ...PACKAGE])
  assert.deepEqual([code, stdout], [0, `${CONNECTED}\n`])
  assert.deepEqual(await left(), [['notion.toml'], ['notion_token']])
  const toml = readFileSync(path.join(cordon.home, 'mcp', 'notion.toml'), 'utf8')
  assert.match(toml, /NOTION_TOKEN = "vault:notion_token"/)
  assert.match(toml, /allowed_domains = \[ "api\.notion\.com" \]/)

  const call = ['mcp', 'call', 'notion.API-post-search', JSON.stringify({ query: SEARCH })]
  const found = await cordon.run(call)
  assert.match(found.stdout, /"plain_text": "PFAR design doc"/)
  assert.deepEqual(notion.asked, ['GET /v1/users/me 200', 'POST /v1/search 200'])
  assert.match(notion.bodies.at(-1) ?? '', /PFAR design doc/)

  const bye = await disconnect()
  assert.deepEqual(
    [bye.code, bye.stdout],
    [0, 'Disconnected notion.\n  and its secret notion_token\n'],
  )
  assert.deepEqual(await left(), [[], []])
})

test('in a chat: words pass by, a wrong token is asked for again, a good one connects', async () => {
  const said = await chat(
    'connect notion',
    'what is an integration?',
    WRONG,
    TOKEN,
    `notion.API-post-search query="${SEARCH}"`,
    'list',
    'remove notion',
    'yes, remove notion',
    TOKEN,
  )
  const [results = ''] = /^\{$.*?^\}$/ms.exec(said) ?? []
  assert.match(results, /"plain_text": "PFAR design doc"/)
  const promise = "Or just paste it here. I'll delete the message immediately."
  const lines = tidy(said.replace(results, 'THE RESULTS'))
  assert.deepEqual(lines, [
    ...PROMPT.slice(0, 2),
    promise,
    NO_ANSWER,
    STORED,
    ...PACKAGE,
    REFUSED,
    STORED,
    CONNECTED,
    OFFER,
    'THE RESULTS',
    'notion: connected, 24 tools',
    'This removes Notion and its stored credentials. Type: yes, remove notion',
    'Notion is removed, with its credentials.',
    "That looks like a token of Notion, so I kept it from everything else and did not store it. Say 'connect notion' to use it, and send it then.",
  ])
  assert.deepEqual(notion.asked, [
    'GET /v1/users/me 401',
    'GET /v1/users/me 200',
    'POST /v1/search 200',
  ])
  assert.deepEqual(await left(), [[], []])
})

test('three wrong tokens end it and leave it disabled, with the reason; a word cancels it', async () => {
  const wrong = await cordon.run(['connect', 'notion'], {
    stdin: [WRONG, WRONG, WRONG].join('\n'),
  })
  assert.deepEqual(tidy(wrong.stderr), [
    ...PROMPT,
    STORED,
    ...PACKAGE,
    REFUSED,
    STORED,
    REFUSED,
    STORED,
  ])
  const end = 'Notion setup failed after 3 attempts: API token is invalid. Cancelled.\n'
  assert.deepEqual([wrong.code, wrong.stdout], [5, end])
  // The last token stays stored; the next connection tries it again, and it is refused again.
  assert.deepEqual(await left(), [['notion.toml'], ['notion_token']])
  const kept = readFileSync(path.join(cordon.home, 'mcp', 'notion.toml'), 'utf8')
  assert.match(kept, /^enabled = false$[^]*^disabled_reason = ".*invalid/m)
  const again = await cordon.run(['connect', 'notion'], { stdin: 'cancel' })
  assert.deepEqual(tidy(again.stderr), [STORED, ...PACKAGE, REFUSED])
  assert.deepEqual([again.code, again.stdout], [3, 'Notion setup cancelled.\n'])
  assert.deepEqual((await left())[0], ['notion.toml'])
  assert.equal(notion.asked.length, 4)
  await cordon.ask(['mcp', 'remove', 'notion', '--yes', '--keep-secrets'])
  await cordon.ask(['vault', 'rm', 'notion_token', '--yes'])
  assert.equal(existsSync(path.join(cordon.home, 'packages', 'notion@2.5.2')), true)
})

test('on the form: one nonce, one use, and the terminal that waits goes on by itself', async () => {
  const waiting = cordon.start(['connect', 'notion']) // nothing is ever typed there
  const ended = finish(waiting)
  const link = /http:\/\/localhost:\d+\/credential\/notion\/[\w-]{43}/
  const [form = ''] = link.exec(await seen(waiting.stderr, link)) ?? []
  const { origin } = new URL(form)
  const post = (nonce: string, value: string, from = origin) =>
    fetch(form, {
      method: 'POST',
      headers: { origin: from, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ nonce, value }).toString(),
    })
  const nonceOf = (page: string): string => /name="nonce" value="([^"]+)"/.exec(page)?.[1] ?? ''

  const guessed = await fetch(`${origin}/credential/notion`)
  assert.equal(guessed.status, 404)
  assert.doesNotMatch(await guessed.text(), /nonce/)
  const page = await fetch(form)
  const text = await page.text()
  assert.match(text, /<input type="password" name="value"/)
  assert.match(page.headers.get('content-security-policy') ?? '', /default-src 'none'/)
  assert.equal(page.headers.get('cache-control'), 'no-store')
  assert.equal((await post('made-up', TOKEN)).status, 403)
  assert.equal((await post(nonceOf(text), TOKEN, 'https://evil.example')).status, 403)
  const broken = await post(nonceOf(text), 'ntn_in two')
  const problem = await broken.text()
  assert.match(problem, /it has spaces or line breaks in it/)
  assert.doesNotMatch(problem, /ntn_in/)
  const stored = await post(nonceOf(problem), TOKEN)
  assert.match(await stored.text(), /✓ Stored securely/)
  assert.equal((await post(nonceOf(problem), TOKEN)).status, 404)

  const { code, stdout } = await ended
  assert.deepEqual([code, stdout], [0, `${CONNECTED}\n`])
  assert.equal((await fetch(form)).status, 404)
  assert.deepEqual(notion.asked, ['GET /v1/users/me 200'])
  await disconnect()
})

test('a failed connect gives one sentence and a hint', async () => {
  const refused = async (name: string, stdin = ''): Promise<string> => {
    const { code, stdout, stderr } = await cordon.run(['connect', name], { stdin })
    assert.notEqual(code, 0)
    assert.doesNotMatch(stderr, /bug|\n\s+at /)
    return stderr.split('cordon: ').slice(-2).join('') + stdout
  }
  assert.match(
    await refused('gubbelwubbel'),
    /^error: Cannot find a service called "gubbelwubbel"\nhint: .*Run `cordon connect "npx PACKAGE"`/,
  )
  assert.match(
    await refused('notino'),
    /passes for Notion and is not it\nhint: Run `cordon connect notion`/,
  )
  const cyrillic = await refused('n\u043etion')
  assert.match(cyrillic, /passes for Notion and is not it\nhint: Run `cordon connect notion`/)
  assert.match(
    await refused('npx -y @modelcontextprotocol/server-nobody-has-this'),
    /the npm registry "[^"]+" has no such package or version\. Check its name/,
  )
  assert.match(
    await refused('notion', 'ntn_with a space'),
    /Cannot use that token: it has spaces or line breaks in it\nhint: Copy the whole value/,
  )
  assert.match(await refused('notion', 'xyz'), /starting with 'secret_' or 'ntn_'\nhint: /)
  assert.match(await refused('notion', ''), /Cannot read a value: standard input is empty\nhint: /)
  const said = await chat('connect notion', `ntn_${'ab12'.repeat(5)} ${'ab12'.repeat(5)}`)
  assert.match(said, /has spaces or line breaks in it, so I did not store it\./)
  assert.deepEqual(await left(), [[], []])
  assert.deepEqual(readdirSync(path.join(cordon.home, 'packages')), ['notion@2.5.2'])
  assert.deepEqual(notion.asked, [])
})
