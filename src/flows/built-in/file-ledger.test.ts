import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KeptKind, KeptLabels } from '../../kernel/kept-labels.ts'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { FILE_LABELS } from './file-labels.ts'
import { createFileLedger, memoryLabels } from './file-ledger.ts'

const BANK: Label = { integrity: 'external', level: 'regulated', origins: new Set(['bank']) }
const bytes = (text: string): Buffer => Buffer.from(text)
const done = async (): Promise<void> => undefined

function open(rows: KeptLabels = memoryLabels(), most?: number) {
  const ledger = createFileLedger(rows, most)
  return {
    write: (path: string, text: string, label: Label, write = done) =>
      ledger.keep({ path, bytes: bytes(text), label }, write),
    read: (path: string, text: string, place: Label = FILE_LABELS) =>
      ledger.labelOf(path, bytes(text), place),
  }
}

test('an unknown file has the label of its place', async () => {
  assert.equal(await open().read('/a', 'x'), FILE_LABELS)
})

test('a file has the label it was written with, and the files as an origin', async () => {
  const { write, read } = open()
  await write('/a', 'x', BANK)
  const label = { ...BANK, origins: new Set(['~files', 'bank']) }
  assert.deepEqual(await read('/a', 'x'), label)
  assert.deepEqual(await read('/elsewhere', 'x'), label)
})

test('a known file is no more confidential than what was written, and no more trusted than its place', async () => {
  const { write, read } = open()
  await write('/a', 'x', OWN_WORDS)
  const { level, integrity } = await read('/a', 'x')
  assert.deepEqual([level, integrity], ['internal', 'external'])
  assert.equal((await read('/a', 'x', { ...FILE_LABELS, integrity: 'user' })).integrity, 'user')
})

test('the same bytes, written twice, have both labels elsewhere, and in each place their own', async () => {
  const { write, read } = open()
  await write('/a', 'yes', BANK)
  await write('/b', 'yes', OWN_WORDS)
  assert.equal((await read('/c', 'yes')).level, 'regulated')
  assert.equal((await read('/b', 'yes')).level, 'internal')
})

test('a changed file keeps the label of its path until a flow replaces it', async () => {
  const { write, read } = open()
  await write('/a', 'x', BANK)
  assert.equal((await read('/a', 'x and more')).level, 'regulated')
  assert.ok((await read('/a', 'x and more')).origins.has('bank'))
  await write('/a', 'y', OWN_WORDS)
  assert.equal((await read('/a', 'y')).level, 'internal')
  assert.equal((await read('/a', 'y and more')).level, 'sensitive')
})

test('before the file is written both its old and its new bytes are labelled, also if it never is', async () => {
  const { write, read } = open()
  await write('/a', 'old', BANK)
  const fails = write('/a', 'new', { ...BANK, level: 'sensitive' }, async () => {
    assert.equal((await read('/a', 'new')).level, 'regulated')
    assert.equal((await read('/a', 'old, edited')).level, 'regulated')
    throw new Error('killed')
  })
  await assert.rejects(fails, /killed/)
  assert.equal((await read('/a', 'old, edited')).level, 'regulated')
  assert.equal((await read('/other', 'new')).level, 'sensitive')
})

test('an entry that is damaged counts as sensitive and anybody’s', async () => {
  for (const content of ['', '{', 'null', '{"tree":{"label":{"level":"none"}}}', '[1]']) {
    const rows = memoryLabels()
    const damaged = open({ ...rows, get: async () => content })
    const own: Label = { ...FILE_LABELS, integrity: 'user', level: 'internal' }
    assert.deepEqual(await damaged.read('/a', 'x', own), FILE_LABELS, content)
  }
})

test('the oldest files are forgotten, and count as unknown then', async () => {
  const rows = memoryLabels()
  const { write, read } = open(rows, 100)
  for (let at = 0; at < 1000; at += 1) await write(`/${at}`, `text ${at}`, BANK)
  for (const kind of ['file', 'path'] as const) {
    assert.ok((await rows.list(kind)).length <= 100, 'bounded')
  }
  assert.equal(await read('/0', 'text 0'), FILE_LABELS)
  assert.equal((await read('/999', 'text 999')).level, 'regulated')
})

test('a ledger that cannot be written keeps the file from being written', async () => {
  const put = (kind: KeptKind): Promise<void> => Promise.reject(new Error(`no ${kind}`))
  const { write } = open({ ...memoryLabels(), put: () => put('file') })
  let isWritten = false
  const writing = write('/a', 'x', BANK, async () => void (isWritten = true))
  await assert.rejects(writing, /no file/)
  assert.equal(isWritten, false)
})
