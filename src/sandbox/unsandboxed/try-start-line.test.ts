import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tryStartLine } from './try-start-line.ts'

test('a start line that fails is told by its error, not by the last line that it wrote', async () => {
  const { signal } = new AbortController()
  const failing = (code: string) => ({
    command: process.execPath,
    args: ['-e', code],
    env: {},
  })
  await assert.rejects(tryStartLine(failing(`throw new Error('no such home')`), '/', signal), {
    message: /it says "Error: no such home"$/,
  })
  const own = `console.error('cordon: error: Cannot go on\\ncordon: hint: Do it')\nprocess.exitCode = 2`
  await assert.rejects(tryStartLine(failing(own), '/', signal), {
    message: /it says "cordon: error: Cannot go on"$/,
  })
  await assert.rejects(tryStartLine(failing(`console.error('one\\ntwo')`), '/', signal), {
    message: /it says "two"$/,
  })
})

test('a start line that writes something else than messages fails, and nothing else does', async () => {
  const { signal } = new AbortController()
  const talk = {
    command: process.execPath,
    args: ['-e', `console.log('hello'); console.log('null')`],
  }
  await assert.rejects(tryStartLine({ ...talk, env: {} }, '/', signal), {
    code: 'clients.start-line',
  })
})
