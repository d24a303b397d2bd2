/** The one-writer lock, with real processes that hold it, die with it and race for it. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { readHolder } from './holder.ts'
import { type HomePaths, homePaths } from './home-paths.ts'
import { takeLock } from './take-lock.ts'

let paths: HomePaths
const children = new Set<ChildProcess>()

beforeEach(async () => {
  paths = homePaths(mkdtempSync(join(tmpdir(), 'cordon-lock-')))
  await mkdir(paths.run)
})
afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  children.clear()
  rmSync(paths.home, { recursive: true })
})

/** A child process with `takeLock`, `paths`, `sleep`, `say` and `fs` in scope. */
function start(body: string): ChildProcess {
  const script = `
    import * as fs from 'node:fs'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { takeLock } from ${JSON.stringify(import.meta.resolve('./take-lock.ts'))}
    import { homePaths } from ${JSON.stringify(import.meta.resolve('./home-paths.ts'))}
    const paths = homePaths(${JSON.stringify(paths.home)})
    const say = (word) => fs.writeSync(1, word + '\\n')
    ${body}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  return child
}

async function startHolder(): Promise<ChildProcess> {
  const child = start(`globalThis.lock = await takeLock(paths); say('held'); await sleep(60_000)`)
  await firstWord(child)
  return child
}

async function firstWord(child: ChildProcess): Promise<void> {
  assert.ok(child.stdout)
  await once(child.stdout, 'data')
}

async function kill(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}

async function outputOf(child: ChildProcess): Promise<string> {
  assert.ok(child.stdout)
  return (await child.stdout.toArray()).join('').trim()
}

test('takeLock() refuses a home in use, and names the process that uses it', async () => {
  const holder = await startHolder()
  await assert.rejects(takeLock(paths), (error) => {
    assert.ok(error instanceof CordonError)
    assert.equal(error.code, 'home.locked')
    assert.equal(error.exit, 4)
    assert.match(error.message, new RegExp(`process ${holder.pid}\\b`))
    assert.match(error.hint, /`cordon status`.*`cordon down`/)
    return true
  })
})

test('takeLock() refuses a home in use even when nothing says by whom', async () => {
  await startHolder()
  rmSync(paths.lock)
  await assert.rejects(takeLock(paths), { code: 'home.locked' })
})

test('takeLock() takes over from a holder that was killed', async () => {
  const holder = await startHolder()
  await kill(holder)
  assert.deepEqual(readHolder(paths.lock), { pid: holder.pid, alive: false })
  using _lock = await takeLock(paths)
  assert.deepEqual(readHolder(paths.lock), { pid: process.pid, alive: true })
})

test('takeLock() is not impressed by what a crash left in the lock file', async () => {
  using own = await takeLock(paths)
  const mine = JSON.parse(readFileSync(paths.lock, 'utf8')) as object
  own[Symbol.dispose]()
  const leftovers = [
    '',
    '\0\0\0\0',
    '{"pid":',
    '[]',
    'null',
    '{"pid":-1,"startTime":"1","bootId":""}',
    JSON.stringify({ ...mine, startTime: '1' }), // the reused pid of a running process
    JSON.stringify({ ...mine, bootId: 'an-earlier-boot' }),
  ]
  for (const leftover of leftovers) {
    writeFileSync(paths.lock, leftover)
    assert.notEqual(readHolder(paths.lock)?.alive, true, leftover)
    using _lock = await takeLock(paths)
    assert.deepEqual(readHolder(paths.lock), { pid: process.pid, alive: true })
  }
})

test('a second attempt in the same process is refused and does not loosen the first', async () => {
  using _lock = await takeLock(paths)
  await assert.rejects(takeLock(paths), { code: 'home.locked' })
  const other = start(`await takeLock(paths).then(() => say('won'), (error) => say(error.code))`)
  assert.equal(await outputOf(other), 'home.locked')
})

test('releasing the lock leaves nothing but the empty file that carries it', async () => {
  const lock = await takeLock(paths)
  lock[Symbol.dispose]()
  assert.deepEqual(readdirSync(paths.run), ['writer.lock'])
  assert.equal(readFileSync(paths.writer).length, 0)
  using _again = await takeLock(paths)
})

test('HOME-2: of 20 processes that race for a dead holder’s home, one at a time gets it', async () => {
  await kill(await startHolder())
  const marker = join(paths.home, 'writing')
  const go = join(paths.home, 'go')
  // Creating the marker fails while another process is inside; some racers end without releasing.
  const racer = `
    say('ready')
    while (!fs.existsSync(${JSON.stringify(go)})) await sleep(1)
    let wins = 0
    for (let round = 0; round < 40; round++) {
      try {
        const lock = await takeLock(paths)
        fs.closeSync(fs.openSync(${JSON.stringify(marker)}, 'wx'))
        wins++
        await sleep(1)
        fs.rmSync(${JSON.stringify(marker)})
        if (round < 39) lock[Symbol.dispose]()
      } catch (error) {
        if (error.code !== 'home.locked') { say('broken ' + error.code); break }
      }
    }
    say('wins ' + wins)`
  const racers = Array.from({ length: 20 }, () => start(racer))
  await Promise.all(racers.map(firstWord))
  writeFileSync(go, '')
  const words = await Promise.all(racers.map(outputOf))
  assert.equal(words.length, 20)
  for (const word of words) assert.match(word, /^wins \d+$/)
  const wins = words.reduce((sum, word) => sum + Number(word.split(' ')[1]), 0)
  assert.ok(wins >= 1, `${wins} wins`)
  assert.equal(existsSync(marker), false)
  using _lock = await takeLock(paths)
})
