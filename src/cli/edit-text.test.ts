import assert from 'node:assert/strict'
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { editText, type StartEditor } from './edit-text.ts'

const ENVIRONMENT = { EDITOR: 'ed' }

const replaceOld: StartEditor = async (editor, file) => {
  assert.equal(editor, 'ed')
  assert.equal(statSync(file).mode & 0o777, 0o600)
  writeFileSync(file, readFileSync(file, 'utf8').replace('old', 'new'))
  return 0
}

test('what was written is handed over, and gone afterwards', async () => {
  const seen: string[] = []
  const use = async (text: string, file: string): Promise<void> => void seen.push(text, file)
  await editText({ name: 'a.flow', text: 'old words', use }, ENVIRONMENT, replaceOld)
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
  const draft = { name: 'a.flow', text: 'old words', use }
  await assert.rejects(editText(draft, ENVIRONMENT, replaceOld), TypeError)
  assert.equal(readFileSync(kept, 'utf8'), 'new words')
  rmSync(path.dirname(kept), { recursive: true })
})

test('an editor that fails leaves no file behind, and the text is not used', async () => {
  let edited = ''
  const fail: StartEditor = async (_editor, file) => {
    edited = file
    return 1
  }
  const use = (): Promise<void> => assert.fail('the text was used')
  const draft = { name: 'a.flow', text: 'old words', use }
  await assert.rejects(editText(draft, ENVIRONMENT, fail), { code: 'main.editor' })
  assert.equal(existsSync(path.dirname(edited)), false)
})
