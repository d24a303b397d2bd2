import assert from 'node:assert/strict'
import path from 'node:path'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

const PLACES = ['--read', 'photos', '--read', '/srv/music', '--write', '~/notes']

test('folders may be given several times, and are meant from where the command is typed', async () => {
  const { calls } = await runFake(['mcp', 'edit', 'files', ...PLACES], {
    'mcp.edit': async () => assert.fail('only the input matters'),
  })
  const [, input] = calls.at(-1) ?? []
  const { changes } = input as { readonly changes: Record<string, readonly string[]> }
  assert.deepEqual(Object.keys(changes).sort(), ['readPaths', 'writePaths'])
  assert.deepEqual(
    changes['readPaths']?.map((one) => path.basename(one)),
    ['photos', 'music'],
  )
  assert.ok(changes['readPaths']?.every((one) => path.isAbsolute(one)))
  assert.deepEqual(changes['writePaths'], ['~/notes'])
})

test('connect takes the same options, before or after the name', async () => {
  for (const words of [
    ['connect', 'filesystem', ...PLACES],
    ['connect', ...PLACES, 'filesystem'],
  ]) {
    const { calls } = await runFake(words, {
      'connect.start': async () => assert.fail('only the input matters'),
    })
    const [, input] = calls.find(([route]) => route === 'connect.start') ?? []
    const { name, write } = input as { readonly name: string; readonly write: readonly string[] }
    assert.deepEqual([name, write], ['filesystem', ['~/notes']])
  }
})

test('a secret is sealed for the hosts after its name, and unsealed by its name', async () => {
  const words = ['--seal', 'A=api.example.com,up.example.com', 'B', '--unseal', 'C']
  const { calls } = await runFake(['mcp', 'edit', 'it', ...words], {
    'mcp.edit': async () => assert.fail('only the input matters'),
  })
  const [, input] = calls.at(-1) ?? []
  assert.deepEqual(input, {
    server: 'it',
    changes: { seal: { A: ['api.example.com', 'up.example.com'], B: [] }, unseal: ['C'] },
  })
})
