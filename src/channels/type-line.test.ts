import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { typeLine } from './type-line.ts'

const never = new AbortController().signal

interface Typing {
  readonly isHidden?: boolean
  readonly isDumb?: boolean
  readonly signal?: AbortSignal
}

/** Types each read when the prompt is there, and returns the line and the text written to the terminal. */
async function ask(
  reads: readonly string[],
  { isHidden = true, isDumb = false, signal = never }: Typing = {},
): Promise<{ readonly line: string | undefined; readonly written: string }> {
  const input = new PassThrough()
  const output = new PassThrough()
  const typing = typeLine({ input, output, isDumb }, { prompt: 'Key: ', isHidden }, signal)
  for (const read of reads) {
    input.write(read)
    await nextTurn()
  }
  const line = await typing
  return { line, written: String(output.read()) }
}

const START = '\u001b[200~'
const END = '\u001b[201~'

test('a hidden line is mended as every line, and nothing of it is written', async () => {
  const { line, written } = await ask(['wrong\u0015right one\u0017onne\u007f\u007fe👍🏽\u007f\r'])
  assert.equal(line, 'right one')
  assert.equal(written, '\u001b[?2004hKey: \u001b[?2004l\n')
})

test('a paste that the terminal marks is one line, with its line breaks, until Enter', async () => {
  const reads = [`${START}-----BEGIN\r`, `abc\r`, `-----END\r${END}`, '\r']
  assert.equal((await ask(reads)).line, '-----BEGIN\nabc\n-----END')
})

test('a paste that is not marked is what came in one read', async () => {
  assert.equal((await ask(['one\rtwo\rthree\r'], { isDumb: true })).line, 'one\ntwo\nthree')
  assert.equal((await ask(['one\r', 'two\r'], { isDumb: true })).line, 'one')
})

test('arrows, tabs and escapes are no surprise in a hidden line', async () => {
  assert.equal((await ask(['a\u001b[A\u001b[D\tb\r'])).line, 'a\tb')
})

test('a terminal that draws nothing echoes what is typed, and rubs it out without a sequence', async () => {
  const { line, written } = await ask(['ab日\u007f\u007fc\r'], { isHidden: false, isDumb: true })
  assert.equal(line, 'ac')
  assert.equal(written, 'Key: ab日\b \b\b \b\b \bc\n')
})

test('Ctrl-C, Ctrl-D on an empty line, and a question that is settled elsewhere give no line', async () => {
  assert.equal((await ask(['half\u0003'])).line, undefined)
  assert.equal((await ask(['\u0004'])).line, undefined)
  assert.equal((await ask(['a\u0004\r'])).line, 'a')
  const leaving = new AbortController()
  const asked = ask(['half'], { signal: leaving.signal })
  leaving.abort()
  assert.deepEqual(await asked, {
    line: undefined,
    written: '\u001b[?2004hKey: \u001b[?2004l\n',
  })
})
