/** A connection that fails keeps its definition, disabled; options and answers give the server what it lacked. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../src/kernel/error.ts'
import { GOOD, openChat } from './fake-chat.ts'
import { NEVER, notion, settle } from './fake-world.ts'

function failing(why: string, code: string = 'servers.start'): () => never {
  return () => {
    throw new CordonError(code, { exit: 5, hint: 'Look', why }, 'Cannot start server "notion"')
  }
}

test('a definition that failed is kept with its reason, and a second connect takes it up', async () => {
  const { world, setup, send } = openChat()
  world.odd.start = failing('it exited with code 1')
  await setup.connect('notion', { changes: { memoryLimit: '1g', args: ['--safe'] } }, NEVER)
  await send(GOOD)
  const kept = world.definitions.get(notion)
  assert.equal(kept?.enabled, false)
  assert.equal(kept?.disabledReason, 'it exited with code 1')
  world.odd = {}
  await send('connect notion')
  assert.equal(world.outbox.at(-1), '✓ Notion connected. 2 tools available.')
  const taken = world.definitions.get(notion)
  assert.equal(taken?.enabled, true)
  assert.equal(taken.memoryLimit, '1g')
  assert.deepEqual(taken.args?.slice(-1), ['--safe'])
})

test('a reason that quotes a token of unknown hands is kept without it', async () => {
  const { world, send } = openChat()
  const token = `ghp_${'a1B2'.repeat(9)}`
  world.odd.start = failing(`it exited with code 1; it last said: cannot use ${token}`)
  await send('connect notion')
  await send(GOOD)
  const reason = world.definitions.get(notion)?.disabledReason ?? ''
  assert.match(reason, /cannot use/)
  assert.ok(!reason.includes(token))
})

test('a definition that was in use is restored, not disabled', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await send(GOOD)
  const before = world.definitions.get(notion)
  world.odd.start = failing('it exited with code 1')
  await setup.connect('notion', { changes: { allowedDomains: ['more.example.com'] } }, NEVER)
  await settle()
  assert.equal(setup.view()?.phase, 'failed')
  assert.equal(world.definitions.get(notion)?.enabled, true)
  assert.deepEqual(world.definitions.get(notion)?.allowedDomains, before?.allowedDomains)
})

test('a blocked host is a question: yes allows it and tries again, no names the command', async () => {
  const { world, setup, send } = openChat()
  world.blocked = ['maps.example.com']
  world.odd.start = failing('it exited with code 1')
  await send('connect notion')
  await send(GOOD)
  const { question, phase } = setup.view() ?? {}
  assert.equal(phase, 'awaiting-answer')
  assert.deepEqual(Object.keys(question?.choices ?? {}), ['yes', 'no'])
  assert.match(
    question?.title ?? '',
    /^Allow notion to reach maps\.example\.com\? It can send there/,
  )
  assert.equal(await send('what is that?'), undefined, 'an ordinary message passes by')
  assert.match(
    (await send('no')) ?? '',
    /`cordon connect notion --allow maps\.example\.com` in another terminal lets it reach that\.\nIt is kept/,
  )
  await send('connect notion')
  world.odd = {}
  await send('yes')
  assert.equal(setup.view()?.phase, 'connected')
  assert.ok(world.definitions.get(notion)?.allowedDomains?.includes('maps.example.com'))
})

test('a server that ran out of memory is offered twice as much', async () => {
  const { world, setup, send } = openChat()
  world.odd.start = failing('it used more memory than its limit of 256 MiB', 'servers.memory')
  await send('connect notion')
  await send(GOOD)
  assert.equal(setup.view()?.question?.title, 'Give Notion up to 512m of memory?')
  world.odd = {}
  await setup.provide(setup.view()?.connection ?? '', 'yes')
  await settle()
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(world.definitions.get(notion)?.memoryLimit, '512m')
})

test('a setting that the server names is asked for by its name, a secret one goes to the vault', async () => {
  const { world, setup, send } = openChat()
  world.odd.start = failing('it exited with code 1; it last said: Error: MAPS_URL is not set')
  await send('connect notion')
  await send(GOOD)
  const asked = () => [setup.view()?.question?.title, setup.view()?.question?.isSecret]
  assert.deepEqual(asked(), ['MAPS_URL', false])
  world.odd.start = failing('it exited with code 1; it last said: MAPS_API_KEY is required')
  await send('https://maps.example.com')
  assert.deepEqual(asked(), ['MAPS_API_KEY', true])
  world.odd = {}
  world.accepted.add('k3y-Abc123Def456')
  await send('k3y-Abc123Def456')
  assert.equal(setup.view()?.phase, 'connected')
  const { env, auth } = world.definitions.get(notion) ?? {}
  assert.equal(env?.['MAPS_URL'], 'https://maps.example.com')
  assert.equal(auth?.['MAPS_API_KEY'], 'vault:notion.MAPS_API_KEY')
})

test('a server that fails again and again is not asked about for ever', async () => {
  const { world, setup, send } = openChat()
  world.blocked = ['maps.example.com']
  world.odd.start = failing('it exited with code 1')
  await send('connect notion')
  await send(GOOD)
  for (let round = 0; round < 10; round += 1) await send('yes')
  assert.equal(setup.view()?.phase, 'failed')
})

test('--again asks for a credential that is there, and takes the new one', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  await send(GOOD)
  const other = GOOD.replace('265011', '265012')
  world.accepted.add(other)
  await setup.connect('notion', { again: true }, NEVER)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  await send(other)
  assert.equal(setup.view()?.phase, 'connected')
  assert.deepEqual(world.running.get(notion), [other])
})

test('a secret is asked for by its name, and never taken as a setting', async () => {
  const { world, setup, send } = openChat()
  const env = { MAPS_API_KEY: 'k3y-Abc123Def456' }
  await assert.rejects(setup.connect('notion', { changes: { env } }, NEVER), {
    code: 'setup.wish',
    hint: 'Write `--env MAPS_API_KEY` without a value: it is asked for, and not shown',
  })
  world.accepted.add(env.MAPS_API_KEY)
  await setup.connect('notion', { secrets: ['MAPS_API_KEY'] }, NEVER)
  await send(GOOD)
  assert.equal(setup.view()?.question?.title, 'MAPS_API_KEY')
  await send(env.MAPS_API_KEY)
  assert.equal(setup.view()?.phase, 'connected')
  assert.equal(world.secrets.get('notion.MAPS_API_KEY')?.value, env.MAPS_API_KEY)
})

for (const [what, wish, says] of [
  ['a URL for a host', { changes: { allowedDomains: ['https://a.example'] } }, /without a scheme/],
  ['every host', { changes: { allowedDomains: ['*'] } }, /"\*" alone/],
  ['a size without a unit', { changes: { memoryLimit: '512' } }, /memory limit/],
  ['a name with a dash', { secrets: ['MY-KEY'] }, /without a name/],
] as const) {
  test(`a wish is refused before anything happens: ${what}`, async () => {
    const { world, setup } = openChat()
    await assert.rejects(setup.connect('notion', wish, NEVER), { message: says })
    assert.deepEqual(world.steps, [])
  })
}
