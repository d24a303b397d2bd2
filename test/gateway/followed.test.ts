/** Limits of a client hold for resources and prompts as they do for tools: its budget, and its contexts. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Output } from '../../src/api/contract.ts'
import { openCordon } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'
import { connect, openGateway } from './open-gateway.ts'

test('reads, prompts, completions, each subscription and each step of a flow count against the budget of a client', async () => {
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

  // One call is left for two resources to follow with one request.
  await cordon.ask(['client', 'edit', 'claude', '--calls-per-minute', '4'])
  const modern = await connect(gateway, { isModern: true })
  await modern.listen({ resourceSubscriptions: [uri, 'notes://note/two'] })
  await assert.rejects(modern.readResource({ uri }), /4 calls a minute/)

  // Three are left for a flow and its steps: the run goes on when there are more.
  await cordon.ask(['client', 'edit', 'claude', '--calls-per-minute', '7'])
  const flow = 'mcp notes touch >> mcp notes touch >> mcp notes touch'
  const leaving = new AbortController()
  const running = client
    .callTool({ name: 'run_flow', arguments: { flow } }, { signal: leaving.signal })
    .catch(() => 'left')
  const stepsDone = async (): Promise<number | undefined> => {
    const { runs } = await cordon.ask<Output<'flows.runs'>>(['flow', 'runs'])
    return runs[0]?.stepsDone
  }
  await until(async () => (await stepsDone()) === 2)
  await sleep(300)
  assert.equal(await stepsDone(), 2)
  leaving.abort()
  assert.equal(await running, 'left')
  for (const one of [client, modern]) await one.close()
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
