/** A server asks its owner during a call: in a terminal and in a chat they answer, elsewhere nobody claims that they did. */
import assert from 'node:assert/strict'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { openCordon, root } from '../fixtures/cordon.ts'
import { openCommand } from './open-command.ts'

const cordon = openCordon()
before(async () => {
  const program = path.join(root, 'test', 'fixtures', 'servers', 'asker.mjs')
  await cordon.ask(['mcp', 'add', 'asker', '--', 'node', program, 'legacy'])
})
after(() => cordon[Symbol.asyncDispose]())

const CALL = ['mcp', 'call', '--yes', 'asker.ask', '{"question":"form"}']

test('a call in a terminal puts the question there, labelled with its server, and sends the answer', async () => {
  await using terminal = await openCommand(cordon, CALL, { columns: 120 })
  await terminal.until(/asker asks: Who are you\?[^]*Answer it\?/)
  await terminal.press('y')
  await terminal.until(/Your name: As \[2Jwritten/)
  await terminal.type('me@example.com')
  await terminal.press('Enter')
  await terminal.until(/age/)
  await terminal.type('old')
  await terminal.press('Enter')
  await terminal.until(/sure/)
  await terminal.press('y')
  for (const field of ['color', 'size', 'days']) {
    await terminal.until(new RegExp(`◆ +${field}`))
    await terminal.press('Enter')
  }
  await terminal.until(/"age" does not fit what was asked for[^]*◆ +Your name/)
  await terminal.type('me@example.com')
  await terminal.press('Enter')
  await terminal.until(/◆ +age/)
  await terminal.type('7')
  await terminal.press('Enter')
  await terminal.until(/◆ +sure/)
  await terminal.press('y')
  for (const field of ['color', 'size', 'days']) {
    await terminal.until(new RegExp(`◆ +${field}`))
    await terminal.press('Enter')
  }
  await terminal.until(
    /"action":"accept","content":\{"name":"me@example.com","age":7,"sure":true\}/,
  )
  assert.equal(await terminal.ended(), 0)
})

test('a chat puts the question, sends what is meant for it, and nothing else', async () => {
  await using terminal = await openCommand(cordon, ['chat'], { columns: 160 })
  const say = async (line: string): Promise<void> => {
    await terminal.type(line)
    await terminal.press('Enter')
  }
  await terminal.until(/^›$/)
  await say('asker.ask question=visit')
  await terminal.until(
    /asker asks: Log in\n +https:\/\/login\.example\/start\?a=b\nVisit it yourself/,
  )
  await say('list')
  await terminal.until(/asker: connected/)
  await say('decline')
  await terminal.until(/\{"action":"decline"\}/)
  await say('asker.ask')
  await terminal.until(/asks: Who are you\?\nYour name: As .*Type `answer VALUE`; or `decline`\./)
  await say('answer me@example.com')
  await terminal.until(/age\. Type `answer VALUE`, `answer` alone to leave it/)
  for (const [line, next] of [
    ['answer 7', 'sure \\(yes or no\\)'],
    ['answer no', 'color \\(one of r, g\\)'],
    ['answer g', 'size \\(one of s\\)'],
    ['answer', 'days \\(some of mo, tu\\)'],
  ] as const) {
    await say(line)
    await terminal.until(new RegExp(`› ${line}\n${next}`))
  }
  await say('answer mo, tu')
  await terminal.until(
    /"name":"me@example.com","age":7,"sure":false,"color":"g","days":\["mo","tu"\]/,
  )
})

test('a server that asks during a plan is answered by the next messages, each of them one field', async () => {
  await using terminal = await openCommand(cordon, ['chat'], { columns: 160 })
  const say = async (line: string, answer: RegExp): Promise<void> => {
    await terminal.type(line)
    await terminal.press('Enter')
    await terminal.until(new RegExp(`› ${line}\n[^]*${answer.source}[^]*\n›$`))
  }
  await terminal.until(/^›$/)
  await say(
    'ask asker',
    /Using asker\.ask\.\.\.\nasker asks you:\n│ Who are you\?\n│ Your name: As .*\nYour next message is sent/,
  )
  await say('me@example.com', /│ age\nYour next message is sent as the answer, `skip` to leave it/)
  await say('7', /│ sure \(yes or no\)/)
  await say('no', /│ color \(one of r, g\)/)
  await say('g', /│ size \(one of s\)/)
  await say('skip', /│ days \(some of mo, tu\)/)
  await say(
    'mo, tu',
    /✓ asker\.ask completed[^]*"name":"me@example.com","age":7,"sure":false,"color":"g","days":\["mo","tu"\]/,
  )
  await say('ask asker', /asker asks you:/)
  await say('cancel', /\{"action":"decline"\}/)
})

test('where nobody is, nobody is said to have been asked', async () => {
  const { stdout } = await cordon.run(CALL)
  assert.match(stdout, /"action":"cancel"/)
  const logs = (await cordon.run(['mcp', 'logs', 'asker'])).stdout
  assert.match(logs, /was not put to its owner: it came while nobody was there to answer/)
  assert.doesNotMatch(logs, /asked its owner .*: cancel/)
})

test('a kernel in a process without a terminal offers no questions to a server', async () => {
  await using alone = openCordon()
  const program = path.join(root, 'test', 'fixtures', 'servers', 'asker.mjs')
  await alone.run(['--no-daemon', 'mcp', 'add', 'asker', '--', 'node', program, 'legacy'])
  const { stdout } = await alone.run(['--no-daemon', ...CALL])
  assert.match(stdout, /There is no elicitation\/create/)
})
