import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createSession } from './client-session.ts'
import { Drain } from './drain.ts'
import { serveLines } from './serve-lines.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }

/** The answers to these lines. */
async function answersTo(lines: readonly string[]): Promise<readonly { id: unknown }[]> {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const answering = { handle: async () => ({}), drain: new Drain(), log }
  const session = createSession({ name: 'one', taint: 'ask', createdAt: '' })
  const served = serveLines(answering, session, { input, output })
  const read = output.toArray() as Promise<Buffer[]>
  input.end(lines.map((line) => `${line}\n`).join(''))
  const text = Buffer.concat(await read).toString()
  await served
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: unknown })
}

test('a request that is refused as a whole is answered under its own id, so that its client does not wait', async () => {
  const deep = `${'['.repeat(200)}${']'.repeat(200)}`
  const answers = await answersTo([
    '{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}',
    `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":{"deep":${deep}}}`,
    '{"jsonrpc":"2.0","id":{},"method":"tools/call"}',
    '{"jsonrpc":"2.0","id":7',
    '{"jsonrpc":"2.0","id":"cordon-1","result":{},"error":{}}',
  ])
  assert.deepEqual(
    answers.map(({ id }) => id),
    [7, 'a', null, null, null],
  )
})
