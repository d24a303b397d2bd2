import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import { BriefMap, BriefSet } from './brief-map.ts'

test('BriefMap does what a Map does, through many renewals', () => {
  const brief = new BriefMap<number, string>()
  const map = new Map<number, string>()
  for (let at = 0; at < 5000; at += 1) {
    brief.set(at, `${at}`)
    map.set(at, `${at}`)
    const gone = at - (at % 90)
    assert.equal(brief.delete(gone), map.delete(gone))
    assert.equal(brief.size, map.size)
  }
  assert.deepEqual(brief.values(), [...map.values()])
  assert.equal(brief.get(4999), '4999')
  assert.equal(brief.has(0), false)
  assert.equal(brief.delete(0), false)
  brief.clear()
  assert.deepEqual([brief.size, brief.values()], [0, []])
})

test('values() is what was there, whatever is removed while it is read', () => {
  const set = new BriefSet<number>()
  for (let one = 0; one < 200; one += 1) set.add(one)
  const seen: number[] = []
  for (const one of set.values()) {
    seen.push(one)
    set.delete(199 - one)
  }
  assert.equal(seen.length, 200)
  assert.equal(set.size, 0)
})

/** Grown bytes of the old generation after many short-lived objects, of which sixteen are in the map at a time. */
function grown(make: string): number {
  const program = `
    import { getHeapSpaceStatistics } from 'node:v8'
    import { BriefMap } from ${JSON.stringify(new URL('brief-map.ts', import.meta.url).href)}
    const old = () => getHeapSpaceStatistics().find((one) => one.space_name === 'old_space').space_used_size
    const map = ${make}
    const churn = (from, to) => {
      for (let at = from; at < to; at += 1) {
        map.set('call ' + at, { data: new Array(100).fill(at) })
        map.delete('call ' + (at - 16))
      }
    }
    churn(0, 1000)
    gc()
    const before = old()
    churn(1000, 21000)
    console.log(old() - before)`
  // Large enough that the whole heap is not collected meanwhile.
  const sizes = ['--max-semi-space-size=1', '--initial-old-space-size=256']
  const args = ['--expose-gc', ...sizes, '--input-type=module', '-e', program]
  return Number(execFileSync(process.execPath, args, { encoding: 'utf8' }))
}

test('what has left a BriefMap is freed by the next small collection', () => {
  assert.ok(grown('new Map()') > 8 * 2 ** 20, 'a Map keeps it: otherwise BriefMap has no use')
  assert.ok(grown('new BriefMap()') < 2 ** 20)
})
