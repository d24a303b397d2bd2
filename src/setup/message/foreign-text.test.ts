import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { foreignText, reasonFor } from './foreign-text.ts'

const redactor = { redact: (text: string) => text.replaceAll('hunter2', '[redacted]') }

test('foreignText() is one short line without secrets, tricks or a full stop', () => {
  assert.equal(foreignText('It said: hunter2.\n', redactor), 'It said: [redacted]')
  assert.equal(foreignText('a\u001b[2Jb\r\nc\u202ed', redactor), 'a[2Jb cd')
  assert.equal(foreignText('x'.repeat(400), redactor), `${'x'.repeat(300)}…`)
})

test('reasonFor() shows our own errors, and nothing of any other', () => {
  const own = new CordonError('a.b', { exit: 5, hint: 'Run `x`' }, 'Cannot y', 'a cause')
  assert.equal(reasonFor(own, redactor), 'Cannot y. Run `x`')
  assert.doesNotMatch(reasonFor(new Error('token abc'), redactor), /abc/)
})

test('foreignText() redacts what is left when the unseen is gone, however long the text', () => {
  assert.equal(foreignText('say hun\u200bter2', redactor), 'say [redacted]')
  assert.equal(foreignText(`${'.'.repeat(4_000_000)}x`, redactor), `${'.'.repeat(300)}…`)
})
