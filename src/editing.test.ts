import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { editText } from './editing.ts'

const ENVIRONMENT = { PATH: process.env['PATH'], EDITOR: 'sed -i s/old/new/' }

test('what was written is handed over, and gone afterwards', async () => {
  const seen: string[] = []
  const use = async (text: string, file: string): Promise<void> => void seen.push(text, file)
  await editText({ name: 'a.flow', text: 'old words', use }, ENVIRONMENT)
  const [text, file = ''] = seen
  assert.equal(text, 'new words')
  assert.equal(existsSync(path.dirname(file)), false)
})

test('what was written stays where nobody could use it', async () => {
  let kept = ''
  const use = (_text: string, file: string): Promise<void> => {
    kept = file
    return Promise.reject(new TypeError('It makes no sense'))
  }
  await assert.rejects(editText({ name: 'a.flow', text: 'old words', use }, ENVIRONMENT), TypeError)
  assert.equal(readFileSync(kept, 'utf8'), 'new words')
  rmSync(path.dirname(kept), { recursive: true })
})
