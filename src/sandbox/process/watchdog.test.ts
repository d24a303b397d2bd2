import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { groupTree } from './process-tree.ts'
import { nextRow, startWatchdog } from './watchdog.ts'

const HOLD = 'const held = Buffer.alloc(4e7, 1); setInterval(() => held, 1e6)'

function start(script: string) {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' })
  return { child, tree: groupTree(child, child.pid ?? assert.fail()) }
}

test('startWatchdog() ends a tree whose processes together take more than they may', async () => {
  const one = `${process.execPath} -e "${HOLD}"`
  const { child, tree } = start(`${one} & ${one} & wait`)
  using watchdog = startWatchdog(tree, 60e6)
  await once(child, 'exit')
  assert.equal(watchdog.bit, true)
})

test('startWatchdog() leaves a tree alone that stays within its limit', async () => {
  const { tree } = start(`${process.execPath} -e "${HOLD}"`)
  using watchdog = startWatchdog(tree, 400e6)
  await delay(2_500)
  assert.equal(watchdog.bit, false)
  tree.kill()
  await tree.gone()
})

test('nextRow() ends a row of looks that found too much only by one that saw everything', () => {
  const calm = { bytes: 10, isCalm: true, isWhole: true }
  const row = { over: 1, blind: 4 }
  assert.deepEqual(nextRow({ ...calm, bytes: 30 }, 20, row), { over: 2, blind: 0 })
  assert.deepEqual(nextRow(calm, 20, row), { over: 0, blind: 0 })
  assert.deepEqual(nextRow({ ...calm, isCalm: false }, 20, row), { over: 1, blind: 0 })
  const blind = { ...calm, isCalm: false, isWhole: false }
  assert.deepEqual(nextRow(blind, 20, row), { over: 1, blind: 5 })
  assert.deepEqual(nextRow({ ...blind, bytes: 30 }, 20, row), { over: 2, blind: 5 })
  assert.deepEqual(nextRow({ ...calm, bytes: undefined }, 20, row), { over: 0, blind: 0 })
})
