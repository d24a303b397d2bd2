import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'

const START = new URL('parked-start.ts', import.meta.url).href
const WARDEN = new URL('../process/warden.ts', import.meta.url).href
/** Uses up its descriptors, starts a process, gives the descriptors back, and uses the warden once more. */
const STARVED = `
import { closeSync, openSync } from 'node:fs'
const { startParked } = await import(${JSON.stringify(START)})
const { createWarden } = await import(${JSON.stringify(WARDEN)})
const warden = createWarden(5000)
const held = []
try { for (;;) held.push(openSync('/dev/null')) } catch {}
warden.hold(process.pid)
const options = { words: ['true'], identity: undefined, places: [], feeds: [], warden }
const failed = await startParked(options, new AbortController().signal).catch((error) => error)
for (const descriptor of held) closeSync(descriptor)
warden.forget(process.pid)
const entered = await warden.enter(2 ** 22 + 1, new Map()).catch((error) => error)
console.log(JSON.stringify([failed.code, entered.message.slice(0, 24)]))
process.exit()
`

test('without descriptors left, a start fails, Cordon goes on, and the warden is there again later', () => {
  const args = ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath]
  const said = execFileSync('sh', [...args, '--input-type=module', '-e', STARVED], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  assert.deepEqual(JSON.parse(said), ['EMFILE', 'cannot enter the sandbox'])
})
