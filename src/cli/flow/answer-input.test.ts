import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { QuestionField } from '../../kernel/elicitation.ts'
import type { Terminal } from '../context.ts'
import { answerInput } from './answer-input.ts'

/** The answer that the kernel gets if each question on the screen is answered with these keys. */
async function answered(
  fields: readonly QuestionField[],
  keys: Readonly<Record<string, string>>,
): Promise<unknown> {
  const stdin = Object.assign(new PassThrough(), { isTTY: true, setRawMode: () => stdin })
  const stderr = Object.assign(new PassThrough(), { isTTY: true })
  const open = new Map(Object.entries(keys))
  stderr.on('data', (chunk: Buffer) => {
    const [asked, typed] = [...open].find(([question]) => chunk.includes(question)) ?? []
    if (asked === undefined) return
    open.delete(asked)
    setImmediate(() => stdin.write(typed))
  })
  let told: unknown
  const question = {
    id: 'q',
    node: 'a',
    kind: 'input',
    text: 'x asks',
    choices: [],
    fields,
  } as const
  await answerInput(
    { stdin, stderr, stdout: stderr } as unknown as Terminal,
    question,
    async (answer) => void (told = answer),
    new AbortController().signal,
  )
  return (told as { readonly value?: unknown }).value
}

const AGE: QuestionField = {
  kind: 'number',
  name: 'age',
  title: 'Age',
  isWhole: true,
  isRequired: true,
}
const NOTE: QuestionField = { kind: 'text', name: 'note', title: 'Note', isRequired: false }

test('whoever presses Enter has given no number, and leaves out what is not needed', async () => {
  const keys = { 'Answer it?': 'y', Age: '7\r', Note: 'hi\r' }
  assert.deepEqual(await answered([AGE, NOTE], keys), { age: 7, note: 'hi' })
  const nothing = { 'Answer it?': 'y', Age: '\r', Note: '\r' }
  // The kernel refuses a text for a number.
  assert.deepEqual(await answered([AGE, NOTE], nothing), { age: '' })
})
