import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { runFake } from '../fake-surface.ts'

test('what was written in an editor is not lost where it is refused', async () => {
  const refused = new CordonError('flows.dangling', { exit: 2, hint: 'Name it' }, 'Cannot find it')
  const { code, stderr } = await runFake(['flow', 'edit', 'todos'], {
    'flows.read': async () => ({
      name: 'todos',
      description: '',
      nodes: [],
      savedAt: '',
      text: 'echo --text TODO >>',
      ir: {},
    }),
    'flows.save': () => Promise.reject(refused),
  })
  assert.equal(code, 2)
  assert.match(
    stderr,
    /Cannot find it\n.*`cordon flow save todos \/tmp\/edited\.flow --replace`\n$/,
  )
})
