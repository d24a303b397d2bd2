/** Each of the real servers, connected by the line that its README has people paste: it lists its tools and answers. */
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Output } from '../../../src/api/contract.ts'
import { argsOf, callOnce, openRealHome, openRealWorld } from './real-home.ts'
import { REAL_SERVERS } from './real-servers.ts'

const world = await openRealWorld()
const cordon = await openRealHome(world, REAL_SERVERS)
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

test('there are twenty-five of them, each under a name of its own', () => {
  assert.equal(new Set(REAL_SERVERS.map(({ server }) => server)).size, 25)
})

for (const one of REAL_SERVERS) {
  test(`npx ${one.package}`, async () => {
    const line = ['npx', ...argsOf(one, cordon)].join(' ')
    const stdin = (one.answers ?? []).map((answer) => `${answer}\n`).join('')
    const { code, stdout, stderr } = await cordon.run(['connect', line], { stdin })
    assert.equal(code, 0, stdout + stderr)
    const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', one.server])
    assert.equal(shown.state.badge, 'connected')
    assert.ok(shown.state.tools > 0)
    assert.match(await callOnce(cordon, one), one.call[2])
    await cordon.run(['mcp', 'stop', one.server])
  })
}
