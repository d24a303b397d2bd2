import assert from 'node:assert/strict'
import { test } from 'node:test'
import { CallProgress } from '../text/call-progress.ts'
import type { JsonObject } from '../text/json.ts'
import type { Exchange } from './handle-request.ts'
import { reportProgress } from './report-progress.ts'

test('reportProgress() tells every step, also those of one moment, and none after the end', () => {
  const progress = new CallProgress()
  const told: JsonObject[] = []
  const exchange = { notify: (message: JsonObject) => void told.push(message) } as Exchange
  const reporting = reportProgress(progress, 'c1', { _meta: { progressToken: 't' } }, exchange)
  for (const text of ['0 %', '50 %', '100 %']) progress.show('c1', text)
  reporting[Symbol.dispose]()
  progress.show('c1', 'too late')
  assert.deepEqual(
    told.map(({ params }) => params),
    ['0 %', '50 %', '100 %'].map((message, at) => ({
      progressToken: 't',
      progress: at + 1,
      message,
    })),
  )
})
