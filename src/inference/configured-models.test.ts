/** The models of the settings: the same ones, with their connections, as long as the settings stay the same. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../kernel/principal.ts'
import { openConfiguredModels } from './configured-models.ts'

const answer = (): Response =>
  new Response(
    [
      { choices: [{ index: 0, delta: { content: 'four' }, finish_reason: null }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ]
      .map((part) => `data: ${JSON.stringify({ id: '1', object: 'x', created: 0, ...part })}\n\n`)
      .concat('data: [DONE]\n\n')
      .join(''),
    { headers: { 'content-type': 'text/event-stream' } },
  )

test('settings that stay the same keep their connections, and a change counts at once', async () => {
  const local = { url: 'http://127.0.0.1:9/v1', local: true }
  let table: object = { default: { ...local, model: 'one' } }
  let opened = 0
  const sent: unknown[] = []
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const models = await openConfiguredModels({
    table: async () => structuredClone(table),
    createFetch() {
      opened += 1
      return async (_input, init) => {
        sent.push((JSON.parse(init?.body as string) as { readonly model: unknown }).model)
        return answer()
      }
    },
    vault: { lease: () => assert.fail('there is no key') },
    notes: { put: async () => undefined, list: async () => [] },
    owner: OWNER.id,
    log,
  })
  const ask = async (): Promise<void> => {
    await models.reload()
    const said = await models.ask({ system: 's', text: 't' }, AbortSignal.timeout(5000))
    assert.equal(said.kind, 'said')
  }
  await ask()
  await ask()
  assert.equal(opened, 1)
  table = { default: { ...local, model: 'two' } }
  await ask()
  assert.equal(opened, 2)
  assert.deepEqual(sent, ['one', 'one', 'two'])
})
