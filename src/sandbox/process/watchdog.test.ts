import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { groupTree } from './process-tree.ts'
import { nextOver, startWatchdog } from './watchdog.ts'

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

test('nextOver() ends a row of looks that found too much only by one that saw everything', () => {
  const calm = { bytes: 10, isCalm: true, isWhole: true }
  assert.equal(nextOver({ ...calm, bytes: 30 }, 20, 1), 2)
  assert.equal(nextOver(calm, 20, 1), 0)
  assert.equal(nextOver({ ...calm, isCalm: false }, 20, 1), 1, 'a process was gone')
  assert.equal(nextOver({ ...calm, isWhole: false }, 20, 1), 2, 'some memory cannot be read')
  assert.equal(nextOver({ ...calm, bytes: undefined }, 20, 1), 0, 'all have ended')
})
