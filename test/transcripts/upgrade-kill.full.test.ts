/** `kill -9` of the kernel at any moment of an upgrade: afterwards one of both versions is in use, whole, and it answers. */
import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { Output } from '../../src/api/contract.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { createStandInPages } from '../catalog/stand-in-registry.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { tinyNpmPackage, tinyNpmServer } from '../fixtures/tiny-npm-server.ts'

const REGISTRY = 'mcp.acme.dev'
const registry = createStandInPages(REGISTRY)
registry.add(tinyNpmPackage('1.0.0'))
const world = await openOutsideWorld({ [REGISTRY]: registry.handle })
const settings = {
  npm_config_registry: `https://${REGISTRY}/`,
  npm_config_globalconfig: '/dev/null',
}
const cordon = await openCordonIn({ ...world, environment: { ...world.environment, ...settings } })
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function versionInUse(): Promise<string> {
  const { args } = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', 'tiny-node'])
  return /@([\d.]+)\//.exec(args.join(' '))?.[1] ?? ''
}

test('a kernel that is killed during an upgrade leaves one whole version, which answers', async () => {
  const connected = await cordon.run(['connect', 'npx -y tiny-node'], { stdin: 'yes\n' })
  assert.equal(connected.code, 0, connected.stderr)
  const seen = new Map<string, number>()
  const times = rounds(10, 5)
  registry.add(tinyNpmPackage('1.0.1'))
  const began = performance.now()
  assert.equal((await cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])).code, 0)
  const wholeMs = performance.now() - began
  for (let round = 0; round < times; round += 1) {
    const before = await versionInUse()
    const wanted = `1.${round + 1}.0`
    registry.add(tinyNpmPackage(wanted, tinyNpmServer(`Greets in round ${round}`)))
    const { pid } = await cordon.ask<Output<'status'>>(['status'])
    const upgrading = cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])
    await pause((1.1 * wholeMs * (round + 1)) / times)
    process.kill(pid, 'SIGKILL')
    await upgrading
    const call = ['mcp', 'call', 'tiny-node.greet', '{"name":"Ann"}', '--yes']
    const { code, stdout, stderr } = await cordon.run(call)
    const now = await versionInUse()
    assert.ok([before, wanted].includes(now), `${now} is neither ${before} nor ${wanted}`)
    // A kill between the switch and the acceptance leaves the changed tool in quarantine, which is said.
    const isWaiting = /not as its owner last saw it/.test(stdout + stderr)
    if (isWaiting) assert.equal(now, wanted)
    else assert.match(stdout, /Hello Ann/, stderr)
    if (!isWaiting) assert.equal(code, 0)
    if (isWaiting) await cordon.run(['mcp', 'upgrade', 'tiny-node', '--undo', '--yes'])
    const left = readdirSync(path.join(cordon.home, 'packages')).filter((one) =>
      one.startsWith('.'),
    )
    assert.deepEqual(left, [])
    const word = now === before ? 'before' : 'after'
    seen.set(word, (seen.get(word) ?? 0) + 1)
  }
  console.log(`upgrade killed ${times} times: ${JSON.stringify(Object.fromEntries(seen))}`)
})
