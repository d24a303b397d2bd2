import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { createConfigFile } from './config-file.ts'

const holding = (text: string | undefined) =>
  createConfigFile(
    { read: async () => (text === undefined ? undefined : Buffer.from(text)) },
    '/home/config.toml',
  )

test('a table is read by its name, and what is not there is nothing', async () => {
  const config = holding('[models.default]\nurl = "https://m.example"\n')
  const models = JSON.stringify(await config.table('models'))
  assert.equal(models, '{"default":{"url":"https://m.example"}}')
  assert.equal(await config.table('templates'), undefined)
  assert.equal(await config.table('toString'), undefined)
  assert.equal(await holding(undefined).table('models'), undefined)
})

test('a syntax error names line and column, and does not quote the file', async () => {
  await assert.rejects(holding('a = 1\nkey = hunter2hunter2\n').table('models'), (error: Error) => {
    assert.match(error.message, /"\/home\/config\.toml" \(line 2, column \d+\)$/)
    assert.doesNotMatch(error.message, /hunter2/)
    return true
  })
})

test('settings that may not be read, or are a folder, are told as such', async () => {
  const read = () => Promise.reject(Object.assign(new Error('EISDIR'), { code: 'EISDIR' }))
  await assert.rejects(createConfigFile({ read }, '/config.toml').table('models'), {
    code: 'home.config',
    message: 'Cannot read the settings in "/config.toml"',
    hint: /plain file/,
  })
})

test('a file that stays as it is is read once, and an edit counts at once', async (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-config-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const file = path.join(folder, 'config.toml')
  let reads = 0
  const read = async (): Promise<Buffer> => {
    reads += 1
    return readFileSync(file)
  }
  const config = createConfigFile({ read }, file)
  writeFileSync(file, '[files]\na = "one"\n')
  assert.deepEqual({ ...((await config.table('files')) as object) }, { a: 'one' })
  assert.equal(await config.table('models'), undefined)
  assert.equal(reads, 1)
  writeFileSync(file, '[files]\na = "another"\n')
  assert.deepEqual({ ...((await config.table('files')) as object) }, { a: 'another' })
  rmSync(file)
  await assert.rejects(config.table('files'), { code: 'home.config' })
})
