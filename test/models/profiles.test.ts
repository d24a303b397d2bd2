/** Profiles in a real config.toml: added, chosen, tried, refreshed and removed, with a vault that keeps keys in memory. */
import assert from 'node:assert/strict'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { editToml } from '../../src/definitions/toml-file.ts'
import { createEgress } from '../../src/egress/create-egress.ts'
import { createConfigEditor, createConfigFile } from '../../src/home/config-file.ts'
import { openConfiguredModels } from '../../src/inference/configured-models.ts'
import { createProfiles } from '../../src/inference/create-profiles.ts'
import type { Profiles } from '../../src/ports/model-port.ts'
import type { Files, Vault } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { startModelServer } from '../fixtures/model-servers/start-model-server.ts'

const OWN = '# my settings\n[limits]\nmemory = "512m" # enough\n'
const log = { info() {}, warn() {}, error() {} }

const files: Pick<Files, 'read' | 'write'> = {
  read: (file) => readFile(file).catch(() => undefined),
  write: (file, content) => writeFile(file, content),
}

async function openProfiles(text = OWN) {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-profiles-'))
  const config = path.join(folder, 'config.toml')
  await writeFile(config, text)
  const secrets = new Map<string, string>()
  const vault: Pick<Vault, 'lease' | 'set' | 'remove'> = {
    async set(_owner, name, value) {
      secrets.set(name, Buffer.from(value).toString())
      return { replaced: false }
    },
    remove: async (_owner, name) => ({ removed: secrets.delete(name) }),
    lease: async (_owner, { key }) => ({
      value: () => Buffer.from(secrets.get(key?.name ?? '') ?? assert.fail('no such secret')),
      [Symbol.asyncDispose]: async () => undefined,
    }),
  }
  const egress = createEgress({ owner: OWNER.id, audit: { append: () => ({}) as never }, log })
  const createFetch: typeof egress.createFetch = (options) => egress.createFetch(options)
  const shared = { createFetch, vault, owner: OWNER.id }
  const notes = { put: async () => undefined, list: async () => [] }
  const table = () => createConfigFile(files, config).table('models')
  const models = await openConfiguredModels({ ...shared, table, notes, log })
  const change = createConfigEditor(files, config, editToml)
  const profiles = createProfiles({
    ...shared,
    models,
    change: (made) => change('models', made),
    files,
    cachePath: path.join(folder, 'models.json'),
  })
  const written = () => readFile(config, 'utf8')
  const dispose = () => rm(folder, { recursive: true })
  return { profiles, models, secrets, config, written, [Symbol.asyncDispose]: dispose }
}

async function marks(profiles: Profiles): Promise<string> {
  const all = await profiles.list()
  return all.map(({ name, isActive }) => `${isActive ? '*' : ''}${name}`).join(' ')
}

test('a profile is written beside what is in the file, and its key goes to the vault', async () => {
  await using at = await openProfiles()
  const { profiles, models, secrets } = at
  const pin = models.pin
  const key = 'sk-secret-1'
  await profiles.add({ name: 'claude', provider: 'anthropic', model: 'claude-sonnet-4-5', key })
  assert.notEqual(models.pin, pin, 'a flow that asks models is looked at again')
  await profiles.add({ name: 'home', provider: 'ollama', model: 'llama3.2' })
  const text = await at.written()
  assert.ok(text.startsWith(OWN), text)
  assert.doesNotMatch(text, /sk-secret/)
  assert.deepEqual([...secrets], [['model_key_claude', key]])
  const [claude, home] = await profiles.list()
  assert.deepEqual(
    [claude?.isActive, claude?.clearance, claude?.key, home?.isLocal, home?.clearance],
    [true, 'internal', 'vault:model_key_claude', true, 'regulated'],
  )
  await profiles.use('home', 'llama4')
  assert.equal(await marks(profiles), 'claude *home')
  assert.match(await at.written(), /model = "llama4"/)
  assert.deepEqual(await profiles.remove('claude'), { forgot: 'model_key_claude' })
  assert.equal(secrets.size, 0)
  assert.equal(await marks(profiles), '*home')
})

test('MODEL-2: the owner’s acknowledgement is written down with the profile', async () => {
  await using at = await openProfiles()
  const added = await at.profiles.add({
    name: 'cloud',
    provider: 'openai',
    model: 'm',
    mayReadSensitive: true,
  })
  assert.equal(added.clearance, 'sensitive')
  assert.match(await at.written(), /owner_acknowledged_cloud_risk = true/)
})

test('what is refused changes neither the file nor the vault', async () => {
  await using at = await openProfiles(
    `${OWN}\n[models.home]\nurl = "http://localhost:1/v1"\nmodel = "m"\nlocal = true\n`,
  )
  const before = await at.written()
  const key = 'sk-secret-1'
  const wrong = { provider: 'openai', model: 'm', key } as const
  const refused = [
    at.profiles.add({ ...wrong, name: 'home' }),
    at.profiles.add({ ...wrong, name: 'active' }),
    at.profiles.add({ ...wrong, name: '../x' }),
    at.profiles.add({ ...wrong, name: 'x', url: 'http://example.com' }),
    at.profiles.use('gone'),
    at.profiles.remove('gone'),
    at.profiles.test('gone', never),
  ]
  // All at once: a promise that rejects while another is awaited would be unhandled.
  await Promise.all(refused.map((one) => assert.rejects(one, { code: /^inference\./ })))
  assert.equal(await at.written(), before)
  assert.equal(at.secrets.size, 0)
  await writeFile(at.config, `${before}\n[[broken`)
  await assert.rejects(at.profiles.add({ ...wrong, name: 'y' }), { code: 'home.config' })
  assert.match(await at.written(), /\[\[broken$/)
  const answer = await at.models.ask({ system: '', text: 'x' }, never)
  assert.equal(answer.kind === 'failed' && answer.code, 'home.config')
})

test('one question tries a profile, also one that failed often; a failure is one sentence', async () => {
  await using server = await startModelServer({ wire: 'openai', answers: ['OK'], key: 'sk-right' })
  await using at = await openProfiles()
  const { profiles, secrets } = at
  await profiles.add({
    name: 'a',
    provider: 'openai',
    url: server.url,
    model: 'm',
    key: 'sk-right',
  })
  for (const _ of [1, 2, 3]) at.models.circuits.failed('a')
  assert.ok((await profiles.list())[0]?.degradedUntil)
  const { text, outputTokens, cost } = await profiles.test(undefined, never)
  assert.deepEqual([text, outputTokens, cost], ['OK', 1, 0])
  assert.equal((await profiles.list())[0]?.degradedUntil, undefined)
  secrets.set('model_key_a', 'sk-wrong')
  await assert.rejects(profiles.test('a', never), {
    code: 'inference.unanswered',
    message: /"a": The server answered with HTTP status 401$/,
  })
})

test('lists of models are kept, and an old one is given with the reason where no new one comes', async () => {
  const server = await startModelServer({ wire: 'anthropic', answers: [], models: ['one', 'two'] })
  await using at = await openProfiles()
  const { profiles } = at
  await profiles.add({ name: 'a', provider: 'anthropic', url: server.url, model: 'one' })
  assert.deepEqual((await profiles.refresh(undefined, never))[0]?.models, ['one', 'two'])
  await server[Symbol.asyncDispose]()
  const [kept] = await profiles.refresh('a', never)
  assert.deepEqual(kept?.models, ['one', 'two'])
  assert.match(
    kept?.problem ?? '',
    /Cannot fetch the models of "a": 127\.0\.0\.1 cannot be reached/,
  )
  await assert.rejects(profiles.use('a', 'twoo'), { message: /did you mean "two"/ })
  await profiles.add({ name: 'b', provider: 'openai', url: server.url, model: 'm' })
  await assert.rejects(profiles.refresh('b', never), { code: 'inference.no-list' })
  const all = await profiles.refresh(undefined, never)
  assert.deepEqual(
    all.map(({ models, problem }) => [models.length, problem !== undefined]),
    [
      [2, true],
      [0, true],
    ],
  )
})

test('a profile is edited: its model, its key and what it may read, and never its address', async () => {
  await using at = await openProfiles()
  const { profiles, secrets } = at
  await profiles.add({ name: 'claude', provider: 'anthropic', model: 'old', key: 'sk-1' })
  const before = await profiles.edit('claude', { mayReadSensitive: true })
  assert.deepEqual([before.model, before.clearance], ['old', 'sensitive'])
  const after = await profiles.edit('claude', { model: 'new', key: 'sk-2' })
  assert.deepEqual([after.model, after.clearance, after.url], ['new', 'sensitive', before.url])
  assert.deepEqual([...secrets], [['model_key_claude', 'sk-2']])
  assert.equal((await profiles.edit('claude', { mayReadSensitive: false })).clearance, 'internal')
  await assert.rejects(profiles.edit('none', { model: 'x' }), { code: 'inference.no-model' })
})
