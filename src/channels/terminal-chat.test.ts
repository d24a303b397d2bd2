import assert from 'node:assert/strict'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { stripVTControlCharacters } from 'node:util'
import { runTerminalChat } from './terminal-chat.ts'

const never = new AbortController().signal

/** Types the lines one by one, each when the chat waits for it, and returns the text on the screen. */
async function converse(
  typed: readonly string[],
  answer: (text: string) => { texts: readonly string[]; wasSecret?: boolean },
  wanted: (heard: readonly string[]) => string | undefined = () => undefined,
): Promise<{ readonly screen: string; readonly heard: readonly string[] }> {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const rest = [...typed]
  const heard: string[] = []
  let screen = ''
  output.on('data', (chunk: Buffer) => {
    screen += chunk.toString()
    if (/(?:› |hidden\): )$/.test(stripVTControlCharacters(screen))) {
      setImmediate(() => input.write(`${rest.shift() ?? 'exit'}\r`))
    }
  })
  await runTerminalChat(
    {
      input,
      output,
      isDumb: false,
      async answer(text) {
        heard.push(text)
        const { texts, wasSecret = false } = answer(text)
        return { texts: asyncOf(texts), wasSecret }
      },
      news: () => asyncOf([]),
      secretWanted: async () => wanted(heard),
      apologise: () => 'Sorry.\u009b2J',
    },
    never,
  )
  return { screen, heard }
}

async function* asyncOf(texts: readonly string[]): AsyncGenerator<string> {
  yield* texts
}

test('every line is answered, whatever went wrong before', async () => {
  const { screen, heard } = await converse(['one', '', 'two'], (text) => {
    if (text === 'one') throw new Error('broken')
    return { texts: ['first', 'then'] }
  })
  assert.deepEqual(heard, ['one', 'two'])
  assert.match(screen, /Sorry\.[^]*first\nthen\n/)
})

test('a pasted JSON text is one message, whose lines are in no history', async () => {
  const lines = ['{', '  "a": {"b": "}"', '', '}', '}']
  const { heard } = await pasteOf(`${lines.join('\r')}\rnext\r`)
  assert.deepEqual(heard, [lines.join('\n'), 'next'])
})

test('a JSON text that never ends is sent after two empty lines', async () => {
  const { heard } = await pasteOf('{"a": {\r\r\rnext\r')
  assert.deepEqual(heard, ['{"a": {', 'next'])
})

/** Pastes the text in one go, then leaves. */
async function pasteOf(text: string): Promise<{ readonly heard: readonly string[] }> {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 }).resume()
  const heard: string[] = []
  input.write(`${text}exit\r`)
  const chat = {
    input,
    output,
    isDumb: false,
    answer: async (said: string) => {
      heard.push(said)
      return { texts: asyncOf([]), wasSecret: false }
    },
    news: () => asyncOf([]),
    secretWanted: async () => undefined,
    apologise: () => '',
  }
  await runTerminalChat(chat, never)
  return { heard }
}

test('while a secret is asked for, what is typed does not appear', async () => {
  const { screen, heard } = await converse(
    ['connect notion', 'ntn_hidden-value'],
    () => ({ texts: ['ok'] }),
    (seen) => (seen.length === 1 ? 'Notion token' : undefined),
  )
  assert.deepEqual(heard, ['connect notion', 'ntn_hidden-value'])
  assert.match(screen, /Notion token \(hidden\): /)
  assert.doesNotMatch(screen, /ntn_hidden/)
})

test('a secret that came unasked is wiped off the screen', async () => {
  const { screen } = await converse(['ntn_shown-value'], () => ({
    texts: ['taken'],
    wasSecret: true,
  }))
  const wiped = screen.indexOf('\u001b[1A\u001b[2K', screen.indexOf('ntn_shown-value'))
  assert.ok(wiped > 0 && screen.indexOf('taken') > wiped)
})

for (const [rows, length] of [
  [1, 77],
  [2, 78], // readline begins a new row when one is full
  [2, 157],
  [3, 158],
] as const) {
  test(`a secret of ${length} characters is wiped off all ${rows} rows of the screen`, async () => {
    const { screen } = await converse([`s${'x'.repeat(length - 2)}t`], () => ({
      texts: ['taken'],
      wasSecret: true,
    }))
    const end = screen.slice(0, screen.indexOf('taken'))
    assert.ok(
      end.endsWith(`\n\u001b[?2004l${'\u001b[1A\u001b[2K'.repeat(rows)}`),
      JSON.stringify(end.slice(-60)),
    )
  })
}

test('a secret is not in the history, though other lines were typed before it was answered', async () => {
  const up = '\u001b[A'
  const isSecret = (text: string): boolean => text.startsWith('ntn_')
  const { heard } = await converse(
    ['before', 'ntn_shown-value\rbetween', '', up, `${up}${up}${up}`],
    (text) => ({ texts: ['ok'], wasSecret: isSecret(text) }),
  )
  assert.deepEqual(heard.filter(isSecret), ['ntn_shown-value'])
  assert.equal(heard.filter((text) => text === 'between').length, 2)
})

test('what was typed hidden is not in the history either', async () => {
  const { heard, screen } = await converse(
    ['connect notion', 'ntn_hidden-value', '\u001b[A'],
    () => ({ texts: ['ok'] }),
    (seen) => (seen.length === 1 ? 'Notion token' : undefined),
  )
  assert.deepEqual(heard.slice(2), ['connect notion'])
  assert.doesNotMatch(screen, /ntn_hidden/)
})

test('nothing that is said moves the cursor, hides text or changes the title', async () => {
  const evil = '\u001b]0;owned\u0007\u009b2J\u202e'
  const { screen } = await converse(
    ['one', 'two'],
    (text) => {
      if (text === 'two') throw new Error('broken')
      return { texts: [`said ${evil}`] }
    },
    (heard) => (heard.length === 1 ? `token ${evil}` : undefined),
  )
  assert.match(screen, /said \\u001b\]0;owned\\u0007\\u009b2J\\u202e/)
  for (const obeyed of ['\u001b]', '\u0007', '\u009b', '\u202e'])
    assert.ok(!screen.includes(obeyed))
})

test('lines that are piped in all at once are answered one by one, also after their end', async () => {
  const output = new PassThrough()
  const heard: string[] = []
  await runTerminalChat(
    {
      input: Readable.from(['one\ntwo\n', 'three']),
      output,
      isDumb: false,
      async answer(text) {
        heard.push(text)
        await pause(5)
        return { texts: asyncOf([`answer to ${text}`]), wasSecret: false }
      },
      news: () => asyncOf([]),
      secretWanted: async () => await pause(5, undefined),
      apologise: () => 'Sorry.',
    },
    never,
  )
  assert.deepEqual(heard, ['one', 'two', 'three'])
  assert.match(String(output.read()), /answer to one\n[^]*answer to two\n[^]*answer to three\n/)
})

test('what happens while nothing is typed is told, and what was typed in hiding is dropped', async () => {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const happens = Promise.withResolvers<void>()
  let wanted: string | undefined = 'Notion token'
  let screen = ''
  const shows = async (pattern: RegExp) => {
    while (!pattern.test(stripVTControlCharacters(screen))) await pause(5)
  }
  output.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  const heard: string[] = []
  const chatting = runTerminalChat(
    {
      input,
      output,
      isDumb: false,
      async answer(text) {
        heard.push(text)
        return { texts: asyncOf([]), wasSecret: false }
      },
      async *news() {
        await happens.promise
        yield 'Notion connected.'
      },
      secretWanted: async () => wanted,
      apologise: () => '',
    },
    never,
  )
  await shows(/\(hidden\): $/)
  input.write('ntn_half')
  await pause(50)
  wanted = undefined
  happens.resolve()
  await shows(/Notion connected\.\n› $/)
  input.write('list\r')
  await shows(/› $/)
  while (heard.length === 0) await pause(5)
  input.write('exit\r')
  await chatting
  assert.deepEqual(heard, ['list'])
  assert.doesNotMatch(screen, /ntn_half/)
})

test('of several lines pasted at a hidden prompt nothing is sent, and it is asked again', async () => {
  const { screen, heard } = await converse(
    ['connect notion', 'ntn_one\rntn_two', 'ntn_three'],
    () => ({ texts: ['ok'] }),
    (seen) => (seen.length === 1 ? 'Notion token' : undefined),
  )
  assert.deepEqual(heard, ['connect notion', 'ntn_three'])
  assert.match(screen, /hidden\): [^]*Those were several lines, so nothing was sent[^]*hidden\): /)
  assert.doesNotMatch(screen, /ntn_/)
})

/** A chat whose first answer never comes, not even when it is cancelled. */
function openStuckChat() {
  const input = Object.assign(new PassThrough(), { isTTY: true })
  const output = Object.assign(new PassThrough(), { isTTY: true, columns: 80 })
  const heard: string[] = []
  let screen = ''
  output.on('data', (chunk: Buffer) => (screen += chunk.toString()))
  const chatting = runTerminalChat(
    {
      input,
      output,
      isDumb: false,
      async answer(text) {
        heard.push(text)
        if (heard.length === 1) await new Promise(() => undefined)
        return { texts: asyncOf([`answer to ${text}`]), wasSecret: false }
      },
      news: () => asyncOf([]),
      secretWanted: async () => undefined,
      apologise: () => '',
    },
    never,
  )
  const shows = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(stripVTControlCharacters(screen))) await pause(5)
  }
  return { input, heard, chatting, shows, screen: () => screen }
}

test('what is typed while an answer is awaited is drawn when its turn comes; Ctrl-C drops it', async () => {
  const { input, heard, chatting, shows, screen } = openStuckChat()
  await shows(/› $/)
  input.write('first\rtyped ahead\r')
  while (heard.length === 0) await pause(5)
  assert.doesNotMatch(screen(), /ahead/)
  input.write('\u0003')
  await shows(/Stopped waiting for the answer\. Press Ctrl-C again to leave\.\n› $/)
  input.write('second\r')
  await shows(/answer to second\n› $/)
  assert.deepEqual(heard, ['first', 'second'])
  assert.doesNotMatch(screen(), /ahead/)
  input.write('\u0004')
  await chatting
})

test('Enter and Ctrl-C in one read send the line and stop waiting for its answer', async () => {
  const { input, heard, chatting, shows } = openStuckChat()
  await shows(/› $/)
  input.write('first\r\u0003')
  await shows(/Stopped waiting for the answer/)
  assert.deepEqual(heard, ['first'])
  await shows(/leave\.\n› $/)
  input.write('\u0003')
  await chatting
})
