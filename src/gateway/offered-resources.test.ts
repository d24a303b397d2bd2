import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseServerId } from '../kernel/server-id.ts'
import type { Listing } from '../ports/feature-port.ts'
import type { Label } from '../labels/label.ts'
import { aliasOf, claimsBy, locatedBy } from './alias-of.ts'
import { createScope } from './create-scope.ts'
import { createOffered, mayBeListed, ResourceOffer } from './offered-resources.ts'

const label = (server: string, level: Label['level'] = 'internal'): Label => ({
  integrity: 'external',
  level,
  origins: new Set([server]),
})
const listing = (server: string, key: string, names: readonly string[]): Listing => ({
  server: parseServerId(server),
  label: label(server),
  items: names.map((name) => ({ [key]: name, name })),
})

test('GATE-6: a URI that one server alone claims stays as it is; one of several leads to none of them', () => {
  const offered = createOffered(
    [listing('notes', 'uri', ['notes://1', 'notes://2']), listing('thief', 'uri', ['notes://1'])],
    [],
  )
  assert.deepEqual(
    offered.resources.map(({ uri }) => uri),
    ['cordon://notes/notes://1', 'notes://2', 'cordon://thief/notes://1'],
  )
  assert.equal(offered.find('notes://1').length, 2)
  assert.deepEqual(offered.find('notes://2'), [{ server: 'notes', uri: 'notes://2' }])
  assert.deepEqual(offered.find('cordon://thief/notes://1'), [
    { server: 'thief', uri: 'notes://1' },
  ])
  assert.deepEqual(offered.find('cordon://stranger/notes://1'), [])
})

test('GATE-6: a template claims what it could name, so that no other server can list it away', () => {
  const offered = createOffered(
    [listing('thief', 'uri', ['notes://7'])],
    [
      listing('notes', 'uriTemplate', ['notes://{id}']),
      listing('greedy', 'uriTemplate', ['{+uri}']),
    ],
  )
  assert.deepEqual(
    offered.find('notes://7').map(({ server }) => server),
    ['thief', 'notes'],
  )
  assert.deepEqual(
    offered.find('notes://8').map(({ server }) => server),
    ['notes'],
  )
  assert.equal(offered.resources[0]?.['uri'], 'cordon://thief/notes://7')
  assert.deepEqual(
    offered.templates.map(({ uriTemplate }) => uriTemplate),
    ['cordon://notes/notes://{id}', 'cordon://greedy/{+uri}'],
  )
  assert.deepEqual(offered.findTemplate('cordon://notes/notes://{id}'), {
    server: 'notes',
    uri: 'notes://{id}',
  })
})

test('a name of its own leads back to its server and its URI, whatever that is', () => {
  const server = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,20}[a-z0-9])?$/)
  const uri = fc.string({ minLength: 1 }).map((rest) => `x:${rest}`)
  fc.assert(
    fc.property(server, uri, fc.boolean(), (name, own, isUi) => {
      const located = { server: parseServerId(name), uri: isUi ? `ui://${own}` : own }
      assert.deepEqual(locatedBy(aliasOf(located)), located)
    }),
  )
  assert.equal(locatedBy('notes://1'), undefined)
  assert.equal(locatedBy('cordon://../x'), undefined)
})

test('a template is matched in linear time', () => {
  const takes = claimsBy(`a:${'{+x}b'.repeat(2000)}c`)
  assert.equal(takes(`a:${'b'.repeat(100_000)}`), false)
  assert.equal(claimsBy('notes://{id}/text{?v}')('notes://7/text?v=1'), true)
  assert.equal(claimsBy('notes://{id}/text')('notes://7/html'), false)
})

test('not even the names of regulated data are told to a program', () => {
  const secret = { ...listing('bank', 'uri', ['bank://1']), label: label('bank', 'regulated') }
  assert.equal(mayBeListed(secret), false)
  assert.equal(mayBeListed(listing('notes', 'uri', [])), true)
})

test('a client that hangs up while a list is read does not empty it for the others', async () => {
  const reading = Promise.withResolvers<void>()
  const offer = new ResourceOffer(
    {
      // As the port does it: a server whose read was aborted is left out.
      async listings(kind, signal) {
        await reading.promise
        return kind === 'resources' && !signal.aborted
          ? [listing('notes', 'uri', ['notes://1'])]
          : []
      },
    },
    () => 0,
  )
  const leaving = new AbortController()
  const session = { scope: createScope(undefined) }
  const first = { session, signal: leaving.signal }
  const second = { session, signal: new AbortController().signal }
  const lists = [offer.list(first), offer.list(second)]
  leaving.abort()
  reading.resolve()
  for (const { resources } of await Promise.all(lists)) assert.equal(resources.length, 1)
  assert.equal((await offer.list(second)).find('notes://1').length, 1)
})
