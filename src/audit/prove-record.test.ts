import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createTestHome, event, type TestHome } from './test-audit.ts'
import { proveRecord } from './prove-record.ts'

const COUNT = 1000

/** A log of many records, then changed behind Cordon's back. */
async function openChanged(change: (text: string) => string): Promise<TestHome> {
  const home = await createTestHome()
  await using audit = await home.open()
  for (let n = 1; n <= COUNT; n += 1) audit.append(event(`thing-${n}`))
  await audit.verify() // all of it is on disk then
  await home.write(change((await home.bytes()).toString()))
  return home
}

async function prove(home: TestHome, seq: number) {
  return await proveRecord(home.logPath, (await home.bytes()).length, seq)
}

test('proveRecord() ties every record to its neighbours, wherever it stands', async () => {
  await using home = await openChanged((text) => text)
  for (const seq of [1, 2, 3, 499, 500, COUNT - 1, COUNT]) {
    const proof = await prove(home, seq)
    assert.equal(proof?.record.subject, `thing-${seq}`)
    assert.equal(proof.computed, proof.record.hash)
    assert.equal(proof.before, proof.record.prev)
    assert.equal(proof.after, seq === COUNT ? undefined : proof.record.hash)
    assert.equal(proof.problem, undefined)
  }
  assert.equal((await prove(home, 1))?.before, '0'.repeat(64))
  assert.equal(await prove(home, COUNT + 1), undefined)
})

test('proveRecord() finds a record that was altered, and the one after it sound by itself', async () => {
  await using home = await openChanged((text) => text.replace('"thing-500"', '"thing-000"'))
  const altered = await prove(home, 500)
  assert.notEqual(altered?.computed, altered?.record.hash)
  assert.match(altered?.problem ?? '', /^was altered/)
  assert.equal((await prove(home, 501))?.problem, undefined)
})

test('proveRecord() finds a record whose neighbour was taken away', async () => {
  await using home = await openChanged((text) =>
    text
      .split('\n')
      .filter((line) => !line.includes('"thing-500"'))
      .join('\n'),
  )
  assert.equal(await prove(home, 500), undefined)
  assert.equal((await prove(home, 501))?.problem, 'stands after a record that cannot be read')
})
