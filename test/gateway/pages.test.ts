/** A list that is longer than one page, as clients of both eras read it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { connect, openGateway } from './open-gateway.ts'

const TOOLS = 1100

test('a long list is read page by page, and a page of a list that changed since is refused', async () => {
  await using cordon = openCordon()
  const gateway = await openGateway(cordon, { many: ['many-tools', String(TOOLS)] })
  for (const isModern of [false, true]) {
    const client = await connect(gateway, { isModern })
    const names: string[] = []
    let cursor: string | undefined
    do {
      const page = await client.request({
        method: 'tools/list',
        params: cursor === undefined ? {} : { cursor },
      })
      names.push(...page.tools.map(({ name }) => name))
      cursor = page.nextCursor
      assert.deepEqual(
        [page['ttlMs'], page['cacheScope']],
        isModern ? [5000, 'private'] : [undefined, undefined],
      )
    } while (cursor !== undefined)
    const own = names.filter((name) => name.startsWith('many__'))
    assert.equal(own.length, TOOLS)
    assert.equal(new Set(names).size, names.length)
    await client.close()
  }
  const client = await connect(gateway, {})
  const { nextCursor = '' } = await client.request({ method: 'tools/list', params: {} })
  await cordon.ask(['mcp', 'stop', 'many'])
  await cordon.ask(['mcp', 'remove', 'many', '--yes'])
  const next = client.request({ method: 'tools/list', params: { cursor: nextCursor } })
  await assert.rejects(next, /The list has changed: read it from its beginning/)
  await client.close()
})
