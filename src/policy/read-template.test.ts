import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTemplate } from './read-template.ts'

test('a template is what is written now, and one that is not understood is none', async () => {
  let written: unknown = { odd: { allowed_tool: [] }, nightly: { allowed_tools: ['notes.*'] } }
  const read = (name: string) => readTemplate(async () => written, name)
  assert.deepEqual((await read('nightly'))?.allowed, ['notes.*'])
  await assert.rejects(read('odd'), { code: 'policy.template' })
  assert.equal(await read('constructor'), undefined)
  written = { nightly: { allowed_tools: ['notes.search'] } }
  assert.deepEqual((await read('nightly'))?.allowed, ['notes.search'])
  written = undefined
  assert.equal(await read('nightly'), undefined)
  written = []
  await assert.rejects(read('nightly'), { code: 'main.templates' })
})
