import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { openKeyboard } from './keyboard.ts'

/** The keys of each read of the terminal: characters as they are, other keys as ‹name›. */
async function typed(...reads: readonly (string | Buffer)[]): Promise<readonly string[]> {
  const input = new PassThrough()
  const batches: string[] = []
  using _keyboard = openKeyboard(input, {
    keys: (keys) => batches.push(keys.map(({ text, name }) => text || `‹${name}›`).join('')),
    ended: () => undefined,
    resumed: () => undefined,
  })
  for (const read of reads) {
    input.write(read)
    await nextTurn()
  }
  return batches
}

test('the keys of one read stay together', async () => {
  assert.deepEqual(await typed('one\r', 'two'), ['one‹return›', 'two'])
})

test('however a line ends, it ends once', async () => {
  assert.deepEqual(await typed('a\r\nb\nc\u2028d\r\r'), [
    'a‹return›b‹return›c‹return›d‹return›‹return›',
  ])
})

test('characters of any script are text, and all else is a key', async () => {
  assert.deepEqual(await typed('日\t👩‍👧é\u007f\u001b[A\u0003'), ['日\t👩‍👧é‹backspace›‹up›‹c›'])
})

test('a character that comes in two reads is one', async () => {
  const [first, second] = [Buffer.from('日').subarray(0, 1), Buffer.from('日').subarray(1)]
  assert.deepEqual((await typed(first, second)).join(''), '日')
})

test('control characters that are no key of a keyboard are dropped', async () => {
  assert.deepEqual(await typed('a\u001c\u001d\u0085b'), ['ab'])
})

test('the terminal is raw while the keyboard is open, and as before afterwards', () => {
  const modes: boolean[] = []
  const input = Object.assign(new PassThrough(), {
    setRawMode: (isRaw: boolean) => modes.push(isRaw),
  })
  const ignore = { keys: () => undefined, ended: () => undefined, resumed: () => undefined }
  openKeyboard(input, ignore)[Symbol.dispose]()
  assert.deepEqual([modes, input.isPaused()], [[true, false], true])
})
