/** Model calls over real HTTP to a stand-in, through the guarded fetch, with a key leased from the vault. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createEgress } from '../../src/egress/create-egress.ts'
import { failureOf } from '../../src/flows/engine/error-actions.ts'
import { openModels, type OwnedModels as Models } from '../../src/inference/open-models.ts'
import { parseProfiles } from '../../src/inference/model-profiles.ts'
import { CordonError } from '../../src/kernel/error.ts'
import type { Log, Vault } from '../../src/kernel/ports.ts'
import type { FailedCall } from '../../src/kernel/call-failure.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { never } from '../../src/kernel/test-never.ts'
import { type ModelStandIn, openModelStandIn } from '../fixtures/model-stand-in.ts'

const KEY = 'sk-a-key-that-nobody-should-see'

interface Seen {
  readonly models: Models
  readonly lines: string[]
  /** Leases that are still open. */
  readonly open: Set<string>
}

function modelsAt(url: string, changes: object = {}, isLocked = false): Seen {
  const lines: string[] = []
  const open = new Set<string>()
  const note = (message: string, fields?: object): void => {
    lines.push(JSON.stringify([message, fields]))
  }
  const log: Log = { info: note, warn: note, error: note }
  const vault: Pick<Vault, 'lease'> = {
    async lease(_owner, refs) {
      if (isLocked) {
        throw new CordonError(
          'vault.locked',
          { exit: 4, hint: 'Run `cordon vault unlock`' },
          'Cannot lend a secret',
        )
      }
      open.add(String(refs['key']?.name))
      return {
        value: () => Buffer.from(KEY),
        [Symbol.asyncDispose]: async () => open.clear(),
      }
    },
  }
  const egress = createEgress({ owner: OWNER.id, audit: { append: () => ({}) as never }, log })
  const profile = { url, model: 'tiny', local: true, key: 'vault:model', ...changes }
  const profiles = parseProfiles({ default: profile })
  const models = openModels({
    profiles,
    createFetch: (options) => egress.createFetch(options),
    vault,
    owner: OWNER.id,
    log,
  })
  return { models, lines, open }
}

const QUESTION = { system: 'Count', text: '1 2 3' }

async function failureFrom(standIn: ModelStandIn, changes: object = {}): Promise<FailedCall> {
  const answer = await modelsAt(standIn.url, changes).models.ask(QUESTION, never)
  assert.ok(answer.kind === 'failed')
  return answer
}

function actionFor(failed: FailedCall): string {
  return failureOf(failed, 'Model').action
}

test('MODEL-1: a model is asked with its key and nothing to act with, and what it used is counted', async () => {
  await using standIn = await openModelStandIn(KEY)
  standIn.answer = () => 'three words long'
  const { models, lines, open } = modelsAt(standIn.url, { max_output_tokens: 50 })
  const answer = await models.ask({ ...QUESTION, temperature: 0 }, never)
  assert.ok(answer.kind === 'said')
  assert.equal(answer.text, 'three words long')
  const { ms, ...usage } = answer.usage
  assert.ok(ms >= 0)
  assert.deepEqual(usage, {
    profile: 'default',
    model: 'tiny',
    inputTokens: 4,
    outputTokens: 3,
    cost: 0,
  })
  assert.deepEqual(standIn.keys, [`Bearer ${KEY}`])
  const [asked] = standIn.asked
  assert.equal(asked?.tools, undefined)
  assert.equal(asked?.max_tokens, 50)
  assert.deepEqual(asked?.messages, [
    { role: 'system', content: 'Count' },
    { role: 'user', content: '1 2 3' },
  ])
  assert.equal(open.size, 0)
  assert.doesNotMatch(lines.join('\n'), new RegExp(KEY))
})

test('a failed model call has an action that a flow can branch on, and never shows the key', async () => {
  await using standIn = await openModelStandIn(KEY)
  const cases: readonly (readonly [number, string])[] = [
    [429, 'rate_limited'],
    [401, 'auth_failed'],
    [403, 'forbidden'],
    [404, 'resource_missing'],
    [500, 'server_error'],
  ]
  for (const [status, action] of cases) {
    standIn.answer = () => ({ status, headers: { 'retry-after': '7' }, body: `said ${KEY}` })
    const failed = await failureFrom(standIn)
    assert.equal(actionFor(failed), action)
    assert.doesNotMatch(failed.reason, new RegExp(KEY))
  }
  standIn.answer = () => ({ status: 429, headers: { 'retry-after': '7' } })
  assert.equal(failureOf(await failureFrom(standIn), 'Model').retryAfterSeconds, 7)
})

test('a wrong key is told without what the server repeats of it', async () => {
  await using standIn = await openModelStandIn('another key')
  const failed = await failureFrom(standIn)
  assert.equal(actionFor(failed), 'auth_failed')
  assert.doesNotMatch(failed.reason, /sk-/)
})

test('a model that takes too long, says too much or speaks another language is given up', async () => {
  await using standIn = await openModelStandIn(KEY)
  standIn.answer = () => new Promise(() => undefined)
  assert.equal(actionFor(await failureFrom(standIn, { timeout_seconds: 1 })), 'timeout')
  standIn.answer = () => 'x'.repeat(5 * 2 ** 20)
  assert.match((await failureFrom(standIn)).reason, /too large/)
  for (const body of ['<html>', '{}', '{"choices":[{"message":{"content":null}}]}']) {
    standIn.answer = () => ({ status: 200, body })
    assert.match((await failureFrom(standIn)).reason, /not known/)
  }
})

test('MODEL-1: a redirect is not followed: the key is for one host', async () => {
  await using standIn = await openModelStandIn(KEY)
  await using elsewhere = await openModelStandIn()
  standIn.answer = () => ({
    status: 307,
    headers: { location: `${elsewhere.url}/chat/completions` },
  })
  await failureFrom(standIn)
  assert.deepEqual(elsewhere.keys, [])
})

test('an unreachable model is reported by its host, and by nothing else', async () => {
  const gone = await openModelStandIn()
  await gone[Symbol.asyncDispose]()
  assert.equal(actionFor(await failureFrom(gone)), 'network_error')
})

test('a locked vault is told as what it is', async () => {
  await using standIn = await openModelStandIn(KEY)
  const answer = await modelsAt(standIn.url, {}, true).models.ask(QUESTION, never)
  assert.ok(answer.kind === 'failed')
  assert.equal(answer.code, 'vault.locked')
  assert.match(answer.hint ?? '', /vault unlock/)
  assert.doesNotMatch(answer.reason, /vault unlock/)
  assert.deepEqual(standIn.keys, [])
})

test('an aborted model call rejects with the caller’s reason, and its lease ends', async () => {
  await using standIn = await openModelStandIn(KEY)
  standIn.answer = () => new Promise(() => undefined)
  const { models, open } = modelsAt(standIn.url)
  const mine = new AbortController()
  setTimeout(() => mine.abort(new Error('enough')), 50)
  await assert.rejects(models.ask(QUESTION, mine.signal), /enough/)
  assert.equal(open.size, 0)
})

test('without a profile no model is called, and the hint says how to add one', async () => {
  await using standIn = await openModelStandIn(KEY)
  const { models } = modelsAt(standIn.url)
  const answer = await models.ask({ ...QUESTION, profile: 'fast' }, never)
  assert.deepEqual(answer, {
    kind: 'failed',
    code: 'inference.no-model',
    reason: 'There is no model profile "fast"',
    hint: 'Run `cordon profiles add fast`, or add [models.fast] to config.toml as docs/models.md shows',
  })
  const none = openModels({
    profiles: parseProfiles(undefined),
    createFetch: () => assert.fail('nothing is fetched'),
    vault: { lease: () => assert.fail('nothing is lent') },
    owner: OWNER.id,
    log: { info() {}, warn() {}, error() {} },
  })
  assert.deepEqual(none.problem(), {
    code: 'inference.no-model',
    message: 'No model is set up',
    hint: 'Run `cordon profiles add default`, or add [models.default] to config.toml as docs/models.md shows',
  })
})
