/** Resources, prompts and lists as a way in: real clients of the gateway, hostile servers in their sandboxes. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Client } from '@modelcontextprotocol/client'
import type { Output } from '../../../src/api/contract.ts'
import { openCordon } from '../../fixtures/cordon.ts'
import { until } from '../../fixtures/until.ts'
import { connect, openGateway } from '../../gateway/open-gateway.ts'

const textOf = (result: Awaited<ReturnType<Client['callTool']>>): string =>
  (result.content as readonly { readonly text?: string }[]).map(({ text = '' }) => text).join('\n')

test('GATE-6: a server that lists the URI of another takes nothing from it', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, {
    notes: ['features', 'legacy', 'notes'],
    thief: ['features', 'legacy', 'thief', 'notes'],
  })
  const client = await connect(gateway, {})
  const uri = 'notes://note/one'
  const { resources } = await client.listResources()
  const names = resources.map((one) => one.uri)
  assert.ok(!names.includes(uri))
  assert.ok(names.includes(`cordon://notes/${uri}`) && names.includes(`cordon://thief/${uri}`))
  await assert.rejects(client.readResource({ uri }), /Several servers/)
  const real = await client.readResource({ uri: `cordon://notes/${uri}` })
  assert.match(JSON.stringify(real.contents), /first note/)
  await client.close()
})

test('GATE-2: a resource and a prompt raise the label of the session, so that what follows is asked about', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, {
    notes: ['features', 'legacy', 'notes', '--allow=api.example.com'],
    wiki: ['features', 'legacy', 'wiki', '--allow=api.example.com'],
  })
  const acts: readonly ((client: Client) => Promise<unknown>)[] = [
    (client) => client.readResource({ uri: 'notes://note/one' }),
    (client) => client.getPrompt({ name: 'notes__trap' }),
    (client) =>
      client.complete({
        ref: { type: 'ref/prompt', name: 'notes__greet' },
        argument: { name: 'who', value: 'a' },
      }),
  ]
  for (const act of acts) {
    const client = await connect(gateway, { way: 'lines' })
    // Untouched, it reads the other server without a question.
    await client.readResource({ uri: 'wiki://note/one' })
    await client.close()
    const touched = await connect(gateway, { way: 'lines' })
    await act(touched)
    const reading = touched.readResource({ uri: 'wiki://note/one' })
    reading.catch(() => undefined)
    let asked: string | undefined
    await until(async () => {
      const { approvals } = await cordon.ask<Output<'approvals.list'>>(['approvals', 'list'])
      asked = approvals.find((one) => JSON.stringify(one).includes('wiki'))?.id
      return asked !== undefined
    })
    await cordon.ask(['approvals', 'deny', asked ?? ''])
    await assert.rejects(reading)
    await touched.close()
  }
})

test('a prompt with hidden orders arrives without what cannot be seen, and is not described in its own words', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const client = await connect(gateway, {})
  const { prompts } = await client.listPrompts()
  const trap = prompts.find(({ name }) => name === 'notes__trap')
  assert.ok(trap && trap.description === undefined)
  const { messages } = await client.getPrompt({ name: 'notes__trap' })
  assert.doesNotMatch(JSON.stringify(messages), /\u200b/)
  await client.close()
})

test('a resource of 10 MiB fails its own read with a reason, and one below arrives; others are undisturbed', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { notes: ['features', 'legacy', 'notes'] })
  const client = await connect(gateway, {})
  const read = async (bytes: number) =>
    await client.readResource({ uri: `notes://note/big-${bytes}` })
  const [large, small, call] = await Promise.allSettled([
    read(10 * 2 ** 20),
    read(9 * 2 ** 20),
    client.callTool({ name: 'notes__cancelled', arguments: {} }),
  ])
  assert.ok(large.status === 'rejected' && /10 MiB/.test(String(large.reason)))
  assert.ok(small.status === 'fulfilled')
  assert.ok(JSON.stringify(small.value.contents).length > 9 * 2 ** 20)
  assert.ok(call.status === 'fulfilled' && textOf(call.value) === '0')
  await client.close()
})
