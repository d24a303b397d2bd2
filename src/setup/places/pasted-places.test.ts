import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Service } from '../../ports/service-facts.ts'
import { pastedPlaces } from './pasted-places.ts'

const home = mkdtempSync(path.join(tmpdir(), 'cordon-pasted-'))
after(() => rmSync(home, { recursive: true }))
for (const folder of ['vault', 'data', 'secret']) mkdirSync(path.join(home, folder))
writeFileSync(path.join(home, 'data', 'shop.db'), '')

const deps = {
  homeFolder: home,
  judgePath: (wanted: string) =>
    wanted === '/' || wanted.endsWith('/secret') ? 'it is private' : undefined,
}

function pasted(args: readonly string[], facts: Partial<Service> = {}) {
  const launch = { kind: 'npm', package: 'some-mcp', version: 'latest', args }
  const plain = { launch, env: {}, credentials: [], notes: [], origin: 'pasted', ...facts }
  const { service, chosen } = pastedPlaces(deps, plain as unknown as Service)
  const given = service.launch.kind === 'npm' ? service.launch.args : []
  return { given, chosen, service, asked: service.credentials.map(({ place }) => place) }
}

test('a folder in a pasted line is what the server is asked about, and is written out', () => {
  const { given, chosen, asked } = pasted(['--vault', '~/vault', `--data=~/data`])
  assert.deepEqual(given, ['--vault', `${home}/vault`, `--data=${home}/data`])
  assert.deepEqual(chosen?.paths, [`${home}/vault`, `${home}/data`])
  assert.equal(chosen?.shown, '~/vault and ~/data')
  assert.deepEqual(asked, ['access'])
})

test('a database is shown with its folder, also one that is yet to be made', () => {
  for (const name of ['shop.db', 'new.sqlite']) {
    const { chosen, asked } = pasted([`${home}/data/${name}`])
    assert.deepEqual([chosen?.isFile, asked], [true, ['access']], name)
  }
})

test('a path in a setting counts too', () => {
  const { chosen, service } = pasted([], { env: { VAULT: '~/vault', MODE: 'fast' } })
  assert.deepEqual(chosen?.paths, [`${home}/vault`])
  assert.deepEqual(service.env, { VAULT: `${home}/vault`, MODE: 'fast' })
})

test('nothing is asked about other words, or about a path that is nowhere', () => {
  const words = ['mcp', '--port=80', '/mcp', '~/gone', 'https://example.test/x', './vault', '-']
  const { chosen, asked, given } = pasted(words)
  assert.deepEqual([chosen, asked, given], [undefined, [], words])
})

test('a private path is not offered, and the reason is a note', () => {
  for (const word of ['~/secret', '/']) {
    const { chosen, asked, service } = pasted([word])
    assert.deepEqual([chosen, asked], [undefined, []])
    assert.match(service.notes.join(), /^It cannot be shown .*: it is private\.$/)
  }
})

test('a service of the catalog names its own needs', () => {
  const { given, chosen, asked } = pasted([`${home}/vault`], { origin: 'catalog' })
  assert.deepEqual([given, chosen, asked], [[`${home}/vault`], undefined, []])
})
