/** The checks themselves: a relay without faults passes all of them, and each of them notices one fault. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { relayAdapter } from './relay/relay-adapter.ts'
import { FAULTS } from './relay/faults.ts'

// Read when the client is loaded: an answer that never comes is awaited once for many a fault.
process.env['CONFORMANCE_SILENCE_MS'] ??= '8000'
const { CHECKS } = await import('./checks/all-checks.ts')
const { runChecks } = await import('./run-checks.ts')

test('a relay without faults passes every check', async () => {
  const verdicts = await runChecks(relayAdapter(), CHECKS, () => undefined)
  const others = [...verdicts].filter(([, { kind }]) => kind !== 'pass')
  assert.deepEqual(others, [])
  assert.equal(verdicts.size, CHECKS.length)
})

test('every check has a fault that it notices', () => {
  assert.deepEqual(
    Object.keys(FAULTS),
    CHECKS.map(({ id }) => id),
  )
})

for (const check of CHECKS) {
  test(`${check.id} fails on a relay with its fault`, async () => {
    const verdicts = await runChecks(relayAdapter(FAULTS[check.id]), [check], () => undefined)
    const verdict = verdicts.get(check.id)
    assert.equal(verdict?.kind, 'fail', JSON.stringify(verdict))
    assert.doesNotMatch(verdict.why, /broke off/)
  })
}
