/** Names that a registry lists, and tokens that must never be sent to a registry. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCatalog } from '../../src/catalog/create-catalog.ts'
import type { FoundService, Registries } from '../../src/ports/catalog-port.ts'
import { CordonError } from '../../src/kernel/error.ts'
import { openChat } from './fake-chat.ts'
import { service } from './fake-services.ts'
import { messageIn, NEVER } from './fake-world.ts'

/** Registries with one entry, which record their queries. */
function listing(name: string, kind: 'official' | 'smithery') {
  const source = kind === 'official' ? { kind, name } : { kind, qualifiedName: name }
  const launch = { kind: 'remote', url: 'https://real.test/mcp', transport: 'stream-http' } as const
  const found: FoundService = {
    service: service('Listed', { origin: kind, source, launch, oauth: [] }),
    badge: kind === 'official' ? 'Official' : 'Smithery',
    verified: false,
    auth: 'none',
  }
  const asked: string[] = []
  const registries: Pick<Registries, 'search'> = {
    search: async (query) => {
      asked.push(query)
      return { found: [found], notices: [] }
    },
  }
  return { registries, asked, catalog: createCatalog() }
}

for (const [name, kind, otherwise] of [
  ['io.github.acme/tracker', 'official', 'https://io.github.acme/tracker'],
  ['@acme/tracker', 'smithery', 'npx @acme/tracker'],
] as const) {
  test(`${name} in a registry is not silently taken for something else`, async () => {
    const { registries, catalog } = listing(name, kind)
    const { setup, send } = openChat({ registries, catalog })
    for (const verb of ['connect', 'add']) {
      const answer = (await send(`${verb} ${name}`)) ?? ''
      assert.ok(answer.includes(`\`connect registry:${name}\``), answer)
      assert.ok(answer.includes(`\`connect ${otherwise}\``), answer)
    }
    assert.equal(setup.view(), undefined)
    await send(`connect Registry:${name}`)
    assert.equal(setup.view()?.title, 'Listed')
    await send(`add registry:${name}`)
    assert.equal(setup.view()?.title, 'Listed')
  })
}

test('a bare address and a bare package that no registry lists are what they look like', async () => {
  const { registries, catalog } = listing('io.github.other/thing', 'official')
  const { setup } = openChat({ registries, catalog })
  assert.equal((await setup.connect('mcp.acme.dev/mcp', {}, NEVER)).title, 'mcp.acme.dev')
  assert.equal((await setup.connect('@acme/tracker', {}, NEVER)).title, '@acme/tracker')
  const none = setup.connect('registry:@acme/tracker', {}, NEVER)
  await assert.rejects(none, { code: 'setup.unknown-service' })
})

test('SETUP-1: a token that is given as a name goes to nobody, and is not repeated', async () => {
  const { registries, catalog, asked } = listing('io.example/jokes', 'official')
  const { setup } = openChat({ registries, catalog })
  const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  for (const name of [
    token,
    `my ${token}`,
    `registry:${token}`,
    `**${token}**`,
    `n0tion ${token}`,
  ]) {
    await assert.rejects(
      setup.connect(name, {}, NEVER),
      (error) =>
        error instanceof CordonError &&
        error.exit === 2 &&
        !`${error.message} ${error.hint}`.includes(token),
    )
  }
  assert.deepEqual(asked, [])
})

test('SETUP-1: a token is caught however it is wrapped', async () => {
  const { world, setup } = openChat({ catalog: createCatalog() })
  const token = 'ghp_a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'
  for (const text of [`token:${token}`, `[${token}]`, `**${token}**`, `key|${token}`]) {
    const reply = await setup.take(messageIn(world, text), NEVER)
    assert.ok(reply?.kind === 'text' && reply.wasSecret === true, text)
  }
  assert.equal(world.chat.size, 0)
})
