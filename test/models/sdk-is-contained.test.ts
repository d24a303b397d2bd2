/** One file knows the AI SDK, and loads it at the first question; its front, which has a gateway of its own, is absent. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { root } from '../fixtures/cordon.ts'

test('only stream-from.ts names the AI SDK, as a type or inside a function', () => {
  const naming = globSync('src/**/*.ts', { cwd: root }).filter((file) =>
    readFileSync(path.join(root, file), 'utf8').includes("'@ai-sdk/"),
  )
  assert.deepEqual(naming, ['src/inference/stream-from.ts'])
  const text = readFileSync(path.join(root, 'src/inference/stream-from.ts'), 'utf8')
  const lines = text.split('\n').filter((line) => line.includes("'@ai-sdk/"))
  for (const line of lines) assert.match(line, /^import type |^ +const .* = await import\(/)
  assert.equal(lines.length, 3)
})

test('the package that sends models named by a text to a gateway is not installed', () => {
  const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8')
  assert.match(lock, /"node_modules\/@ai-sdk\/anthropic"/)
  assert.doesNotMatch(lock, /"node_modules\/(?:ai|@ai-sdk\/gateway)"/)
})
