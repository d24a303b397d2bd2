import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LogLine } from '../../kernel/server-state.ts'
import { runFake } from '../fake-surface.ts'

const line = (seq: number): LogLine => ({ seq, at: 'now', from: 'stderr', text: `line ${seq}` })

test('no line is lost and none is shown twice while a log is followed, also of one millisecond', async () => {
  const stop = new AbortController()
  const seen = [[line(1)], [line(1), line(2)], [line(2), line(3), line(4)], [line(1)], []]
  const { stdout } = await runFake(
    ['mcp', 'logs', 'it', '--follow'],
    {
      'mcp.logs': async () => {
        const lines = seen.shift() ?? []
        if (seen.length === 0) stop.abort()
        return { lines }
      },
    },
    { signal: stop.signal },
  )
  const numbers = [...stdout.matchAll(/line (\d)/g)].map(([, number]) => number)
  assert.deepEqual(numbers, ['1', '2', '3', '4', '1'])
})

test('mcp forget-told asks first, and says what came of it', async () => {
  const asked: unknown[] = []
  const api = {
    'mcp.forget': async (input: object) => {
      asked.push(input)
      return { forgotten: asked.length === 1 }
    },
  }
  const command = ['mcp', 'forget-told', 'memory']
  const silent = await runFake(command, api)
  assert.deepEqual([silent.code, asked], [2, []])
  const first = await runFake([...command, '--yes'], api)
  assert.match(first.stdout, /The answers of memory count as its own data again/)
  const second = await runFake([...command, '--yes', '--json'], api)
  assert.deepEqual(JSON.parse(second.stdout), { forgotten: false })
  assert.deepEqual(asked, [{ server: 'memory' }, { server: 'memory' }])
})

test('mcp logs --protocol shows the messages of both sides, and follows them without repeating one', async () => {
  const stop = new AbortController()
  const message = (seq: number, direction: 'sent' | 'received') =>
    ({ seq, at: 'now', direction, text: `{"id":${seq}}` }) as const
  const seen = [[message(1, 'sent')], [message(1, 'sent'), message(2, 'received')]]
  const { stdout } = await runFake(
    ['mcp', 'logs', 'it', '--protocol', '--follow'],
    {
      'mcp.messages': async () => {
        const messages = seen.shift() ?? []
        if (seen.length === 0) stop.abort()
        return { messages }
      },
    },
    { signal: stop.signal },
  )
  assert.equal(stdout, 'now → {"id":1}\nnow ← {"id":2}\n')
})
