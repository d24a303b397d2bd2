/** Limits of a client hold for resources and prompts as they do for tools: its budget, and its contexts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

test('reads of resources, prompts and completions count against the budget of a client', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const client = await connect(gateway, {})
  const uri = 'notes://note/one'
  const ref = { type: 'ref/prompt', name: 'notes__greet' } as const
  const requests = [
    () => client.readResource({ uri }),
    () => client.getPrompt({ name: 'notes__greet', arguments: { who: 'Ada' } }),
    () => client.complete({ ref, argument: { name: 'who', value: 'b' } }),
  ]
  await cordon.ask(['client', 'edit', 'claude', '--calls-per-minute', '3'])
  for (const request of requests) await request()
  for (const request of requests) await assert.rejects(request(), /3 calls a minute/)
  const listed = await client.listResources()
  assert.ok(listed.resources.length > 0, 'a list is no call')
  await client.close()
})

test('GATE-4: a subscription ends when the contexts of its client lose the server', async () => {
  await using cordon = openCordon()
  const servers = { notes: ['features', 'legacy', 'notes'], wiki: ['features', 'legacy', 'wiki'] }
  const gateway = await openGateway(cordon, servers)
  await cordon.ask(['context', 'add', 'work', 'notes', 'wiki'])
  await cordon.ask(['context', 'use', 'work', '--client', 'claude'])
  for (const isModern of [false, true]) {
    const updated: string[] = []
    const client = await connect(gateway, { way: 'lines', isModern }, (one) => {
      one.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updated.push(params.uri),
      )
    })
    const uris = ['notes://note/one', 'wiki://note/one']
    if (isModern) await client.listen({ resourceSubscriptions: uris })
    else for (const uri of uris) await client.subscribeResource({ uri })
    const touch = async (): Promise<void> => {
      for (const server of ['wiki', 'notes']) {
        await cordon.run(['mcp', 'call', `${server}.touch`])
      }
    }
    await touch()
    await until(() => updated.length >= 2)
    assert.deepEqual(updated.toSorted(), uris)
    await cordon.ask(['context', 'edit', 'work', '--remove', 'wiki'])
    updated.length = 0
    await touch()
    // Both were touched, the lost one first: when the other one is told, it would have been.
    await until(() => updated.length > 0)
    assert.deepEqual(updated, ['notes://note/one'], isModern ? 'modern' : 'legacy')
    await client.close()
    await cordon.ask(['context', 'edit', 'work', '--add', 'wiki'])
  }
})
