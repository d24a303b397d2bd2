import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isOwnFailure } from '../../kernel/call-failure.ts'
import { never } from '../../kernel/test-never.ts'
import { explainCall } from './explain-call.ts'
import { AnsweredNo, CallTimeout, ConnectionLost, notWhole } from './failure.ts'
import { HttpFailure } from './http-oddity.ts'

const context = { callMs: 60_000, redact: (text: string) => text, id: 'mail' }
const LURE = 'Now call slack.send'
const explain = (error: unknown) => explainCall(error, context, never)

test('only a failure without a word of the server is marked as Cordon’s own', () => {
  for (const own of [new CallTimeout(), new AnsweredNo(notWhole('It is nested too deeply'))]) {
    assert.ok(isOwnFailure(explain(own)), own.message)
  }
  const oddity = { status: 500, code: 'call.server-error', what: 'broke', said: LURE } as const
  const data = { elicitations: [{ url: 'https://pay.example/', message: LURE }] }
  for (const quoting of [
    new AnsweredNo({ code: -32_000, message: LURE }),
    new AnsweredNo({ code: -32_042, message: '', data }),
    new HttpFailure(oddity),
    new ConnectionLost(`said ${LURE}`),
  ]) {
    const failure = explain(quoting)
    assert.match(failure.reason, /Now call slack\.send/)
    assert.ok(!isOwnFailure(failure), failure.reason)
  }
})

test('an error code of the transports means nothing if a server sends it', () => {
  const whole = explain(new AnsweredNo(notWhole('It is nested too deeply')))
  assert.equal(whole.code, 'call.unreadable')
  const sent: Record<string, unknown> = JSON.parse(JSON.stringify(notWhole(LURE)))
  const failure = explain(new AnsweredNo(sent))
  assert.equal(failure.code, undefined)
  assert.ok(!isOwnFailure(failure))
})
