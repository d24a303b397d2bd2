import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { START_FILE } from './inside-files.ts'
import { EXPECTED_MS, openTestSandbox, processesWith, until } from './test-sandbox.ts'

const { folder, launch, expect, run } = await openTestSandbox()

/** Bubblewraps that are ours, by the process that started them. */
const wraps = (): readonly number[] =>
  processesWith('bwrap').filter((pid) =>
    readFileSync(`/proc/${pid}/stat`, 'utf8').includes(` ${process.pid} `),
  )

test('a start that was expected is used by exactly that launch, with what it is told then', async () => {
  const before = new Set(wraps())
  const shown = path.join(folder, 'shown')
  mkdirSync(shown)
  const settings = { readPaths: [shown] }
  expect('env', [], { settings })
  await until(() => wraps().some((pid) => !before.has(pid)))
  const [ahead] = wraps().filter((pid) => !before.has(pid))
  const other = await launch('sleep', ['31536007'])
  assert.ok(wraps().includes(ahead ?? 0), 'another launch leaves it alone')
  assert.match(
    await run('env', [], { settings, environment: { TOKEN: 'later' } }),
    /^TOKEN=later$/m,
  )
  assert.ok(!wraps().includes(ahead ?? 0), 'it was this one that ran')
  await other.stop()
})

test('INSTALL-4: a start that was made ready is not used where a folder it shows is another one since', async () => {
  const shown = path.join(folder, 'replaced')
  const file = path.join(shown, 'word')
  const parked = (): readonly number[] => {
    const wrapping = processesWith('bwrap')
    return processesWith(START_FILE).filter((pid) => !wrapping.includes(pid))
  }
  const before = new Set(parked())
  const settings = { readPaths: [shown] }
  mkdirSync(shown)
  writeFileSync(file, 'not what is looked at')
  expect('cat', [file], { settings })
  await until(() => parked().some((pid) => !before.has(pid)))
  renameSync(shown, `${shown}-before`)
  mkdirSync(shown)
  writeFileSync(file, 'what is looked at')
  assert.equal(await run('cat', [file], { settings }), 'what is looked at')
})

test('a start that was expected and never came is gone after a while', async () => {
  const before = new Set(wraps())
  expect('sleep', ['31536008'])
  await until(() => wraps().some((pid) => !before.has(pid)))
  await delay(EXPECTED_MS)
  await until(() => wraps().every((pid) => before.has(pid)))
})
