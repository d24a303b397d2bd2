/** The owner's word on the tools of a server that no catalog knows, on the real command line. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import path from 'node:path'
import { after, before, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { openCordon, root } from '../fixtures/cordon.ts'
import { untilAsked } from '../fixtures/owner-elsewhere.ts'
import { until } from '../fixtures/until.ts'

const FIXTURE = path.join(root, 'test', 'fixtures', 'servers', 'claimer.mjs')
const cordon = openCordon()
before(async () => {
  await cordon.ask(['mcp', 'add', 'claimer', '--allow', 'x.example', '--', 'node', FIXTURE])
  await cordon.ask(['mcp', 'start', 'claimer'])
})
after(() => cordon[Symbol.asyncDispose]())

type Proposal = Output<'tools.proposal'>

const call = (tool: string, args = '{}') => cordon.run(['mcp', 'call', `claimer.${tool}`, args])
const marks = (...args: readonly string[]) => cordon.run(['tools', 'mark', 'claimer', ...args])
const byOf = async (): Promise<Readonly<Record<string, string>>> => {
  const { tools } = await cordon.ask<Proposal>(['tools', 'mark', 'claimer', '--list'])
  return Object.fromEntries(tools.map(({ name, by, effect }) => [name, `${by} ${effect}`]))
}

test('without a word every tool asks, and a read is not asked about as a change', async () => {
  const read = await call('list_notes')
  assert.equal(read.code, 3)
  assert.match(read.stdout, /^refused: claimer\.list_notes says it only reads, and nobody vouched/)
  const change = await call('save_note')
  assert.match(change.stdout, /^refused: claimer\.save_note may not be possible to undo/)
})

test('without a terminal the proposal is shown, and nothing is taken', async () => {
  const { code, stdout } = await marks()
  assert.equal(code, 0)
  assert.equal(
    stdout,
    [
      'Nobody vouches for 6 tools: 2 say they only read, 1 changes things, 1 cannot be undone, 2 are doubtful.',
      '  2 say they only read: list_notes, get_note',
      '  1 change things: save_note',
      '  1 cannot be undone: delete_note',
      '  2 stay as they are unless you name them:',
      '  ! get_or_send: says it reads, but its name says "send"',
      '  ! turn: neither its name nor its server says what it does',
      '',
    ].join('\n'),
  )
  assert.deepEqual(new Set(Object.values(await byOf())), new Set(['unsaid destructive']))
})

test('--as-said takes what is undoubted, is on the record, and is taken back with --clear', async () => {
  const { code, stdout } = await marks('--as-said')
  assert.equal(code, 0)
  assert.match(stdout, /your word counts for 4 of 6 tools \(0 before\)\. Nobody has said what 2/)
  assert.deepEqual(await byOf(), {
    list_notes: 'mark remote-read',
    get_note: 'mark remote-read',
    save_note: 'mark write',
    delete_note: 'mark destructive',
    get_or_send: 'unsaid destructive',
    turn: 'unsaid destructive',
  })
  assert.equal((await call('list_notes')).code, 0)
  assert.equal((await call('save_note', '{"title":"a"}')).code, 0)
  assert.equal((await call('delete_note', '{"note_id":"n-1"}')).code, 3)
  assert.equal((await call('get_or_send')).code, 3)
  const search = ['audit', 'search', '--kind', 'servers.mark']
  const found = await cordon.ask<Output<'audit.search'>>(search)
  const { details } = found.records.at(-1) ?? {}
  assert.deepEqual([details?.['read'], details?.['write'], details?.['destructive']], [2, 1, 1])
  await marks('--clear')
  assert.deepEqual(new Set(Object.values(await byOf())), new Set(['unsaid destructive']))
})

test('one tool is marked by its name, a doubtful one as well, and a name cannot be made harmless', async () => {
  assert.equal((await marks('get_or_send', '--as-said')).code, 0)
  assert.equal((await marks('delete_note', '--effect', 'read')).code, 0)
  assert.equal((await cordon.run(['tools', 'mark', 'claimer.save_note', 'read'])).code, 0)
  const by = await byOf()
  assert.equal(by['get_or_send'], 'mark remote-read')
  assert.equal(by['save_note'], 'mark remote-read')
  assert.equal(by['delete_note'], 'mark destructive', 'its name still says so')
  await marks('--clear', 'get_or_send')
  assert.equal((await byOf())['get_or_send'], 'unsaid destructive')
  await marks('--clear')
})

test('what cannot be marked is refused with what to do', async () => {
  for (const [args, message] of [
    [['nothing', '--effect', 'read'], /Cannot mark tool "nothing": there is no such tool/],
    [['\u001b[2Jx', '--as-said'], /Cannot mark tool "\[2Jx": there is no such tool/],
    [['--effect', 'read'], /Cannot mark tools without their names/],
    [['list_notes', '--effect', 'harmless'], /harmless/],
    [['--as-said', '--clear'], /cannot be used with/],
  ] as const) {
    const { code, stderr } = await marks(...args)
    assert.equal(code, 2, args.join(' '))
    assert.match(stderr, message)
  }
  assert.equal((await cordon.run(['tools', 'mark', 'nobody', '--as-said'])).code, 2)
})

test('a server that changes one tool loses all marks; accepting shows the lines that changed, and keeps the others', async () => {
  await marks('--as-said')
  await cordon.run(['mcp', 'call', 'claimer.turn', '--yes'])
  await until(async () => (await cordon.run(['mcp', 'list'])).stdout.includes('1 changed'))
  assert.equal((await byOf())['get_note'], 'unsaid destructive')
  const { changes } = await cordon.ask<Output<'mcp.changes'>>(['tools', 'diff', 'claimer'])
  const hashes = changes.map(({ hash }) => hash)
  const accepted = await cordon.run(['tools', 'accept', 'claimer', '--hash', ...hashes])
  assert.equal(accepted.code, 0)
  assert.match(accepted.stderr, /- .*Lists the notes[^]*\+ .*Lists everything/)
  assert.doesNotMatch(accepted.stderr, /newest/, 'unchanged lines are not shown')
  const by = await byOf()
  assert.deepEqual([by['list_notes'], by['get_note']], ['unsaid destructive', 'mark remote-read'])
})

test('a quarantine by the owner says so, and accepting again shows no schema', async () => {
  const waiting = cordon.start(['mcp', 'call', 'claimer.turn', '--wait'])
  const closed = once(waiting, 'close')
  await cordon.run(['approvals', 'deny', await untilAsked(cordon), '--quarantine'])
  await closed
  assert.match((await cordon.run(['mcp', 'list'])).stdout, /6 \(6 quarantined by you\)/)
  assert.match((await call('get_note')).stdout, /You quarantined its server/)
  const { stdout } = await cordon.run(['tools', 'diff', 'claimer'])
  assert.match(stdout, /^get_note is quarantined by you, and has not changed \([0-9a-f]{64}\)$/m)
  assert.equal(stdout.trim().split('\n').length, 6)
})
