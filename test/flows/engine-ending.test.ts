/** A process that shuts down during runs: a call that has begun is finished and recorded. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allow, openQuestion } from '../policy/approvals-house.ts'
import { addEffect, never, startOf, type TestTool, untilOver } from './engine-house.ts'
import { newPlace, openWithTools, READ } from './engine-tools.ts'

test('a call may end although another item of its list waits for the owner', async () => {
  const folder = newPlace()
  const began = Promise.withResolvers<void>()
  const mayEnd = Promise.withResolvers<void>()
  const post: TestTool = {
    name: 'post',
    effect: 'write',
    args: { to: 'target' },
    async run({ args }) {
      addEffect(folder, `post ${JSON.stringify(args['to'])}`)
      began.resolve()
      if (args['to'] === 'me') await mayEnd.promise
      return null
    },
  }
  const each = {
    id: 'each',
    type: 'box.post',
    forEach: { items: ['me', '${list.items[0].id}'], parallel: true },
    params: { to: '${item}' },
  }
  let asked: string | undefined
  {
    await using house = await openWithTools({ folder }, [post])
    await house.flows.start(startOf('r', { nodes: [READ, each] }), never)
    await began.promise
    asked = (await openQuestion(house.approvals)).id
    setTimeout(() => mayEnd.resolve(), 100)
  }
  await using house = await openWithTools({ folder }, [post])
  assert.equal((await openQuestion(house.approvals)).id, asked)
  await allow(house.approvals)
  const run = await untilOver(house.flows, 'r')
  assert.equal(run.state, 'completed', JSON.stringify(run))
  assert.deepEqual(house.effects(), ['post "me"', 'post "m1"'])
})
