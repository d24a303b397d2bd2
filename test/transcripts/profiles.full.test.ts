/** Model profiles, seen from a terminal: the real command line and kernel, providers on this machine. */
import assert from 'node:assert/strict'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'

const KEY = 'sk-ant-canary-0123456789abcdef'
const OWN = '# my settings\n[limits]\nmemory = "512m" # enough\n'

const cordon = openCordon()
const claude = await startModelServer({
  wire: 'anthropic',
  answers: ['OK'],
  key: KEY,
  models: ['claude-sonnet-4-5', 'claude-haiku-4-5'],
})
const home = await startModelServer({ wire: 'openai', answers: ['OK'], models: ['llama3.2'] })
const config = path.join(cordon.home, 'config.toml')

before(async () => {
  await mkdir(cordon.home, { mode: 0o700 })
  await writeFile(config, OWN, { mode: 0o600 })
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
})
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await Promise.all([claude[Symbol.asyncDispose](), home[Symbol.asyncDispose]()])
})

test('an empty house says what to type', async () => {
  const { stdout } = await cordon.run(['profiles', 'list'])
  assert.match(
    stdout,
    /^No model is set up\. Cordon works without one; to add one, type in a shell:\n {2}cordon profiles add/,
  )
  const { code, stderr } = await cordon.run(['profiles', 'test'])
  assert.equal(code, 5)
  assert.match(stderr, /hint: Run `cordon profiles add default`/)
})

test('CANARY-1: a profile is added with its key in the vault, listed, tried, and asked by a flow', async () => {
  const add = ['profiles', 'add', 'claude', '--provider', 'anthropic', '--url', claude.url, '--key']
  const added = await cordon.run([...add, '--model', 'claude-sonnet-4-5'], { stdin: `${KEY}\n` })
  assert.match(added.stdout, /^claude is added and is the one that is asked\. It runs on this/)
  const text = await readFile(config, 'utf8')
  assert.ok(text.startsWith(OWN), text)
  assert.match(text, /key = "vault:model_key_claude"/)
  assert.doesNotMatch(text, /sk-ant/)
  const tried = await cordon.run(['profiles', 'test'])
  assert.match(
    tried.stdout,
    /^claude \(claude-sonnet-4-5\) answered "OK"\nafter \d+ ms: 6 tokens in, 1 out, \$0\.\n$/,
  )
  assert.equal(claude.prompts[0]?.key, KEY)
  const log = await readFile(path.join(cordon.home, 'logs', 'cordon.log'), 'utf8')
  assert.match(log, /A model answered/)
  assert.doesNotMatch(log, /Say OK|sk-ant/)
  const ran = await cordon.run(['run', 'llm --prompt "hello"'])
  assert.match(ran.stdout, /OK/, ran.stderr)
})

test('a second one is chosen by name, and its models are refreshed, kept and checked', async () => {
  const there = ['--provider', 'ollama', '--url', home.url]
  await cordon.ask(['profiles', 'add', 'home', ...there, '--model', 'llama3.2'])
  const marks = async () => (await cordon.run(['profiles', 'list'])).stdout.match(/\[.\] +\w+/g)
  assert.deepEqual(await marks(), ['[*]  claude', '[ ]  home'])
  const refreshed = await cordon.run(['profiles', 'refresh'])
  assert.equal(
    refreshed.stdout,
    'claude: 2 models\n  claude-sonnet-4-5\n  claude-haiku-4-5\nhome: 1 models\n  llama3.2\n',
  )
  const cache = await readFile(path.join(cordon.home, 'cache', 'models.json'), 'utf8')
  assert.match(cache, /claude-haiku-4-5/)
  const wrong = await cordon.run(['profiles', 'use', 'claude', '--model', 'claude-haiku-45'])
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /does not offer it; did you mean "claude-haiku-4-5"\?/)
  const used = await cordon.ask<Output<'profiles.use'>>(['profiles', 'use', 'home'])
  assert.equal(used.isActive, true)
  assert.deepEqual(await marks(), ['[ ]  claude', '[*]  home'])
  await cordon.ask(['profiles', 'test'])
  assert.equal(home.prompts.length, 1)
})

test('bad input changes nothing, and says what to type', async () => {
  const before = await readFile(config, 'utf8')
  const refused: readonly (readonly [readonly string[], RegExp])[] = [
    [['add', 'home', '--model', 'm', '--no-key'], /there is one of this name/],
    [['add', 'Home', '--model', 'm', '--no-key'], /name: expected small letters/],
    [
      ['add', 'x', '--model', 'm', '--no-key', '--url', 'http://example.com'],
      /url: expected https/,
    ],
    [['add', 'active', '--model', 'm', '--no-key'], /name: expected/],
    [['use', 'gone'], /no model profile "gone"/],
    [['remove', 'gone', '--yes'], /no model profile "gone"/],
    [['remove', 'home'], /Add `--yes`/],
  ]
  for (const [words, reason] of refused) {
    const { code, stderr } = await cordon.run(['profiles', ...words])
    assert.notEqual(code, 0)
    assert.match(stderr, reason)
    assert.doesNotMatch(stderr, /\n\s+at /)
  }
  assert.equal(await readFile(config, 'utf8'), before)
})

test('a profile is removed with its key, and a mistake by hand is told and nothing is lost', async () => {
  const removed = await cordon.run(['profiles', 'remove', 'claude', '--yes'])
  assert.equal(removed.stdout, 'claude is removed. Forgot model_key_claude.\n')
  assert.deepEqual(await cordon.ask(['vault', 'list']), { secrets: [] })
  const text = await readFile(config, 'utf8')
  assert.ok(text.startsWith(OWN), text)
  await writeFile(config, text.replace('model = "llama3.2"', 'model = 3'))
  const odd = await cordon.run(['profiles', 'use', 'home'])
  assert.match(odd.stderr, /Cannot read models\.home\.model in config\.toml/)
  await writeFile(config, `${text}\n[[broken`)
  const broken = await cordon.run(['profiles', 'add', 'x', '--model', 'm', '--no-key'])
  assert.match(broken.stderr, /Cannot read the settings in/)
  assert.match(await readFile(config, 'utf8'), /\[\[broken$/)
  await writeFile(config, text)
  const { profiles } = await cordon.ask<Output<'profiles.list'>>(['profiles', 'list'])
  assert.deepEqual(
    profiles.map(({ name, isActive }) => [name, isActive]),
    [['home', true]],
  )
})
