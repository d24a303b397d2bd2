/** The log file: redacted, rotated, private, and never a reason for the caller to fail. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { openLog } from './open-log.ts'

const SECRET = 'hunter2-hunter2'
const redactor = { redact: (text: string): string => text.replaceAll(SECRET, '[redacted]') }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cordon-log-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const text = (name = 'cordon.log'): string => readFileSync(join(folder, name), 'utf8')

interface Line {
  readonly level: string
  readonly time: string
  readonly msg: string
  readonly fields?: Readonly<Record<string, unknown>>
}
const lines = (): readonly Line[] =>
  text()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Line)

test('openLog() writes one JSON object per line, at once', async () => {
  await using log = openLog({ folder, redactor })
  log.info('started', { port: 19275 })
  log.warn('two\nlines')
  log.error('ended')
  assert.deepEqual(
    lines().map(({ level, msg, fields }) => ({ level, msg, fields })),
    [
      { level: 'info', msg: 'started', fields: { port: 19275 } },
      { level: 'warn', msg: 'two\nlines', fields: undefined },
      { level: 'error', msg: 'ended', fields: undefined },
    ],
  )
  assert.ok(Math.abs(Date.parse(lines()[0]?.time ?? '') - Date.now()) < 60_000)
})

test('openLog() leaves out what is below its level', async () => {
  await using log = openLog({ folder, redactor, level: 'warn' })
  log.info('small talk')
  log.warn('listen')
  assert.deepEqual(
    lines().map((line) => line.msg),
    ['listen'],
  )
})

test('the log is 0600, also when it was there before', async () => {
  writeFileSync(join(folder, 'cordon.log'), '')
  chmodSync(join(folder, 'cordon.log'), 0o644)
  await using log = openLog({ folder, redactor })
  log.info('x')
  assert.equal(statSync(join(folder, 'cordon.log')).mode & 0o777, 0o600)
})

test('no line reaches the file without passing the redactor', async () => {
  await using log = openLog({ folder, redactor })
  const cause = new Error(`refused ${SECRET}`, { cause: new Error(SECRET) })
  log.info(`message ${SECRET}`, { [SECRET]: 1, deep: [{ note: SECRET }], error: cause })
  log.error('ours', { error: new CordonError('a.b', { exit: 1, hint: 'x' }, 'Cannot x', cause) })
  assert.equal(lines().length, 2)
  assert.ok(!text().includes(SECRET))
  assert.ok(text().includes('[redacted]'))
})

test('a line whose redaction fails is not written', async () => {
  let broken = true
  const fragile = {
    redact(line: string): string {
      if (broken) throw new Error('broken')
      return line
    },
  }
  await using log = openLog({ folder, redactor: fragile })
  log.info(SECRET)
  broken = false
  log.info('next')
  assert.deepEqual(
    lines().map(({ msg }) => msg),
    ['next'],
  )
  assert.equal((lines()[0] as { droppedLines?: number }).droppedLines, 1)
})

test('a field with the name of a secret is left out of the log at any depth', async () => {
  await using log = openLog({ folder, redactor: { redact: (line) => line } })
  const value = 'nobody-knows-me'
  const names = [
    'password',
    'token',
    'accessToken',
    'Authorization',
    'set-cookie',
    'client_secret',
    'passphrase',
    'api_key',
  ]
  for (const name of names)
    log.info('x', { [name]: value, a: { b: [{ [name]: { nested: value } }] } })
  log.info('y', { headers: new Map([['cookie', value]]), tokens: 24, secretsPresent: true })
  assert.ok(!text().includes(value))
  assert.deepEqual(lines().at(-1)?.fields, {
    headers: { cookie: '[redacted]' },
    tokens: 24,
    secretsPresent: true,
  })
})

test('an error is logged with its code, its message and everything behind it', async () => {
  await using log = openLog({ folder, redactor })
  const root = Object.assign(new Error('no such file'), { code: 'ENOENT' })
  const error = new CordonError('vault.read', { exit: 5, hint: 'x' }, 'Cannot read', root)
  const hidden = new SuppressedError(new Error('later'), new AggregateError([new Error('first')]))
  log.error('failed', { error, hidden })
  const fields = lines()[0]?.fields as Record<'error' | 'hidden', Record<string, unknown>>
  const { cause, ...own } = fields.error
  assert.deepEqual(own, { name: 'CordonError', code: 'vault.read', message: 'Cannot read' })
  assert.equal((cause as Error & { code: string }).code, 'ENOENT')
  assert.match(String((cause as { stack: string[] }).stack[0]), /^at .*open-log\.test\.ts/)
  assert.match(JSON.stringify(fields.hidden), /"message":"first"/)
})

test('a log call never throws, whatever it is given, before and after the log is closed', async () => {
  const log = openLog({ folder, redactor })
  const cycle: Record<string, unknown> = {
    big: 10n,
    bytes: Buffer.from('abc'),
    at: new Date(Number.NaN),
  }
  cycle['self'] = cycle
  const trap = {
    get value(): never {
      throw new Error('trap')
    },
  }
  const proxy = new Proxy(
    {},
    {
      ownKeys() {
        throw new Error('trap')
      },
    },
  )
  log.info('odd', {
    cycle,
    trap,
    proxy,
    symbol: Symbol('s'),
    run: () => 1,
    toJSON: () => {
      throw new Error('trap')
    },
  })
  assert.equal(lines()[0]?.fields?.['trap'], '[unreadable]')
  assert.deepEqual(lines()[0]?.fields?.['cycle'], {
    big: '10',
    bytes: '[3 bytes]',
    at: '[unreadable]',
    self: '[seen above]',
  })
  await log[Symbol.asyncDispose]()
  log.info('late')
  await log[Symbol.asyncDispose]()
  assert.equal(lines().length, 1)
})

test('a full log becomes cordon.log.1, and only the given number of old ones stays', async () => {
  await using log = openLog({ folder, redactor, maxBytes: 1000, keep: 3 })
  for (let n = 0; n < 100; n++) log.info(`line ${n} ${'x'.repeat(60)}`)
  assert.deepEqual(readdirSync(folder).sort(), [
    'cordon.log',
    'cordon.log.1',
    'cordon.log.2',
    'cordon.log.3',
  ])
  const all = ['cordon.log.3', 'cordon.log.2', 'cordon.log.1', 'cordon.log'].map((name) => {
    assert.ok(statSync(join(folder, name)).size <= 1000)
    assert.equal(statSync(join(folder, name)).mode & 0o777, 0o600)
    return text(name)
  })
  const numbers = all
    .join('')
    .trimEnd()
    .split('\n')
    .map((line) => Number((JSON.parse(line) as Line).msg.split(' ')[1]))
  assert.deepEqual(
    numbers,
    Array.from(numbers, (_, index) => 100 - numbers.length + index),
  )
})

test('a log is continued when it is opened again', async () => {
  for (const word of ['one', 'two']) {
    await using log = openLog({ folder, redactor, maxBytes: 1000 })
    log.info(word)
  }
  assert.deepEqual(
    lines().map(({ msg }) => msg),
    ['one', 'two'],
  )
})

test('a log whose rotation fails never writes to a descriptor that is no longer its own', async () => {
  await using log = openLog({ folder, redactor, maxBytes: 200, keep: 1 })
  log.info('x'.repeat(100))
  rmSync(join(folder, 'cordon.log')) // the rename of the rotation now fails
  log.info('y'.repeat(100))
  log.info('z')
  assert.deepEqual(
    lines().map(({ msg }) => msg),
    ['z'],
  )
})
