import assert from 'node:assert/strict'
import { test } from 'node:test'
import { missingProgram } from './missing-program.ts'

test('missingProgram() names a program or script that is not there, and nothing else', async () => {
  const said = (command: string, ...args: string[]) => missingProgram({ command, args })
  assert.deepEqual(await said('/no/such/program', '/also/not'), [
    'cannot start: there is no file /no/such/program',
  ])
  assert.deepEqual(await said('node', '/no/such.mjs', '/mcp'), [
    'cannot start: there is no file /no/such.mjs',
  ])
  assert.deepEqual(await said('node', import.meta.filename), [])
  assert.deepEqual(await said('node', '--eval', '/no/such'), [])
  assert.deepEqual(await said('some-server', '/mcp'), [])
  assert.deepEqual(await missingProgram({ args: [] }), [])
})
