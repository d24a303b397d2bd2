/** Approvals seen from a terminal: a call that needs one, the question, and the effect of each answer. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import path from 'node:path'
import { after, beforeEach, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import {
  type Cordon,
  environmentFor,
  finish,
  MAIN,
  openCordon,
  root,
  seen,
} from '../fixtures/cordon.ts'
import { untilAsked, untilNothingIsAsked } from '../fixtures/owner-elsewhere.ts'

const fixture = path.join(root, 'test', 'fixtures', 'servers', 'sender.mjs')
const SEND = ['mcp', 'call', 'sender.send', '{"to":"bob@work.example"}']

/** A server whose `send` needs an approval, and whose `sent` is marked as a read. */
async function openSender(): Promise<Cordon> {
  const cordon = openCordon()
  await cordon.ask(['mcp', 'add', 'sender', '--allow', 'work.example', '--', 'node', fixture])
  await cordon.ask(['mcp', 'start', 'sender'])
  await cordon.ask(['tools', 'mark', 'sender.sent', 'read'])
  return cordon
}

async function sentBy(cordon: Cordon): Promise<readonly string[]> {
  const { stdout } = await cordon.run(['mcp', 'call', 'sender.sent'])
  return JSON.parse(stdout) as readonly string[]
}

/** Shared by the tests that do not change the server. */
const shared = await openSender()
after(() => shared[Symbol.asyncDispose]())
let sent = 0
beforeEach(async () => {
  sent = (await sentBy(shared)).length
})

/** The recipients to whom the shared server has sent since the test began. */
async function sentSince(): Promise<readonly string[]> {
  return (await sentBy(shared)).slice(sent)
}

test('a non-interactive call that needs approval is refused at once, with a hint', async () => {
  const cordon = shared
  const { code, stdout, stderr } = await cordon.run(SEND)
  assert.equal(code, 3)
  assert.match(
    stdout,
    /^refused: sender\.send may not be possible to undo; it needs your approval$/m,
  )
  assert.match(stderr, /hint: Run it in a terminal to be asked, or add `--wait`/)
  assert.deepEqual(await sentSince(), [])
})

test('--yes allows the own words of the owner, and the record says how', async () => {
  const cordon = shared
  const { code, stdout } = await cordon.run([...SEND, '--yes'])
  assert.deepEqual([code, stdout], [0, 'sent to bob@work.example\n'])
  assert.deepEqual(await sentSince(), ['bob@work.example'])
  const { stdout: record } = await cordon.run(['audit', 'search', '--kind', 'approval.*', '--json'])
  const { records } = JSON.parse(record) as Output<'audit.search'>
  assert.deepEqual(
    records.slice(-3).map(({ kind }) => kind),
    ['approval.asked', 'approval.answered', 'approval.spent'],
  )
  assert.equal(records.at(-2)?.details?.['how'], 'with the command')
  assert.ok(!record.includes('bob@work.example'))
})

test('--wait waits for an answer from elsewhere; approve lets it run once, deny does not', async () => {
  const cordon = shared
  const waiting = cordon.start([...SEND, '--wait'])
  const told = seen(waiting.stderr, /cordon approvals show/)
  const id = await untilAsked(cordon)
  assert.match(await told, new RegExp(`needs your approval.*\\n.*cordon approvals show ${id}`))
  const shown = await cordon.run(['approvals', 'show', id])
  assert.match(shown.stdout, /Change or delete something with sender, tool "send"/)
  assert.match(shown.stdout, /to: bob@work\.example {2}\(you wrote this\)/)
  assert.match(shown.stdout, /goes to whoever has work\.example/)
  assert.match(shown.stdout, /It may not be possible to undo/)
  assert.match(shown.stdout, /What leaves: your own words \(internal\)/)
  assert.doesNotMatch(shown.stdout, /always approve/)
  assert.match((await cordon.run(['approvals', 'list'])).stdout, new RegExp(`^${id} +pending`, 'm'))
  const approved = await cordon.run(['approvals', 'approve', id, '--without-a-person'])
  assert.deepEqual([approved.code, approved.stdout], [0, `${id}: 1 allowed, 0 not.\n`])
  assert.deepEqual(await ended(waiting), 0)
  assert.deepEqual(await sentSince(), ['bob@work.example'])
  const again = await cordon.run(['approvals', 'approve', id, '--without-a-person'])
  assert.equal(again.code, 3)
  assert.match(again.stderr, /it was answered before/)

  const second = finish(cordon.start([...SEND, '--wait']))
  const denied = await cordon.run(['approvals', 'deny', await untilAsked(cordon)])
  assert.equal(denied.code, 0)
  const refused = await second
  assert.deepEqual([refused.code, refused.stdout], [3, 'refused: The owner said no\n'])
  assert.deepEqual(await sentSince(), ['bob@work.example'])
})

test('a caller who leaves takes the question along', async () => {
  const cordon = shared
  const waiting = cordon.start([...SEND, '--wait'])
  const id = await untilAsked(cordon)
  waiting.kill('SIGKILL')
  await untilNothingIsAsked(cordon)
  const late = await cordon.run(['approvals', 'approve', id, '--without-a-person'])
  assert.equal(late.code, 3)
  assert.match(late.stderr, /it is void/)
  assert.deepEqual(await sentSince(), [])
})

test('a grant lets the tool run without a question, is listed, and is void when the tool changed', async () => {
  await using cordon = await openSender()
  const waiting = finish(cordon.start([...SEND, '--wait']))
  const id = await untilAsked(cordon)
  const wrong = await cordon.run([
    'approvals',
    'approve',
    id,
    '--without-a-person',
    '--grant',
    'flow',
  ])
  assert.deepEqual([wrong.code, /not offered/.test(wrong.stderr)], [2, true])
  const given = await cordon.run([
    'approvals',
    'approve',
    id,
    '--without-a-person',
    '--grant',
    'tool',
  ])
  assert.match(
    given.stdout,
    /sender\.send +may be called without asking +used 0 times +100 times until/,
  )
  assert.equal((await waiting).code, 0)
  assert.equal((await cordon.run(SEND)).code, 0)
  const { grants } = await cordon.ask<Output<'grants.list'>>(['grants', 'list'])
  assert.deepEqual([grants[0]?.usesLeft, grants[0]?.isVoid], [99, false])

  await cordon.ask(['mcp', 'edit', 'sender', '--allow', 'other.example'])
  assert.match((await cordon.run(['grants', 'list'])).stdout, /void: the tool changed/)
  const { code } = await cordon.run(SEND)
  assert.equal(code, 3)
  await cordon.ask(['grants', 'revoke', grants[0]?.id ?? ''])
  assert.deepEqual(await cordon.ask(['grants', 'list']), { grants: [] })
  assert.equal((await cordon.run(['grants', 'revoke', 'nothing'])).code, 2)
})

/** Runs the command in a new terminal, and types `typed` once the question is shown. */
function inTerminal(cordon: Cordon, args: readonly string[], typed: string): ChildProcess {
  const line = [process.execPath, MAIN, ...args]
  const command = `stty cols 120 rows 50; exec ${line.map((word) => `'${word}'`).join(' ')}`
  const child = spawn(
    '/usr/bin/script',
    ['--quiet', '--return', '--command', command, '/dev/null'],
    {
      env: environmentFor(cordon.home, { TERM: 'xterm' }),
    },
  )
  seen(child.stdout, /Allow it once\?/).then(
    () => child.stdin?.write(typed),
    () => undefined,
  )
  return child
}

test('in a terminal the question is drawn and asked, and everything but a yes is a no', async () => {
  const cordon = shared
  for (const [typed, code] of [
    ['\r', 3],
    ['\u0003', 3],
    ['n', 3],
    ['y', 0],
  ] as const) {
    const ran = await finish(inTerminal(cordon, SEND, typed))
    assert.equal(ran.code, code, `${JSON.stringify(typed)}: ${ran.stdout}`)
    assert.match(ran.stdout, /why you are asked: sender\.send may not be possible to undo/)
  }
  assert.deepEqual(await sentSince(), ['bob@work.example'])
})

test('a no can quarantine the server: nothing of it runs until its tools are accepted again', async () => {
  await using cordon = await openSender()
  const ran = await finish(inTerminal(cordon, SEND, 'q'))
  assert.equal(ran.code, 3, ran.stdout)
  assert.match(ran.stdout, /sender is quarantined: nothing of it runs until you accept it again/)
  const call = await cordon.run(['mcp', 'call', 'sender.sent'])
  assert.equal(call.code, 3)
  assert.match(call.stdout, /You quarantined its server; it waits until you accept it again/)
  const { changes } = await cordon.ask<Output<'mcp.changes'>>(['tools', 'diff', 'sender'])
  const hashes = changes.map(({ hash }) => hash)
  assert.equal((await cordon.run(['tools', 'accept', 'sender', '--hash', ...hashes])).code, 0)
  await cordon.ask(['tools', 'mark', 'sender.sent', 'read']) // the quarantine ended the earlier mark
  assert.deepEqual(await sentBy(cordon), [])
})

async function ended(child: ChildProcess): Promise<number | null> {
  if (child.exitCode !== null) return child.exitCode
  return await new Promise((resolve) => child.once('close', resolve))
}
