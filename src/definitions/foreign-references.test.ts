import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseSecretRef } from '../kernel/secret-ref.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { foreignReferences } from './foreign-references.ts'

const id = parseServerId('notion')

function told(ref: string, brought?: readonly string[]): readonly string[] {
  return foreignReferences({ id, auth: { TOKEN: parseSecretRef(ref) } }, brought)
}

test("DEF-5: somebody else's definition names secrets of its own, and nothing else", () => {
  for (const own of [
    'vault:notion/TOKEN',
    'vault:notion/a/b',
    'vault:notion/.x',
    'vault:notion/a.b',
  ]) {
    assert.deepEqual(told(own), [], own)
  }
  for (const other of [
    'vault:notion',
    'vault:notion_token',
    'vault:notionx/TOKEN',
    'vault:Notion/TOKEN',
    'vault:notion/../bank',
    'vault:notion/./x',
    'vault:notion//x',
    'vault:bank/notion/TOKEN',
    'env:TOKEN',
    'file:/notion/TOKEN',
    'oauth:notion',
  ]) {
    assert.equal(told(other).length, 1, other)
  }
  assert.deepEqual(told('oauth:notion', ['oauth/notion']), [])
  assert.equal(told('vault:oauth/notion', ['oauth/notion']).length, 1)
  const auth = { 'header:X Y\u001b': parseSecretRef('env:A') }
  assert.match(
    foreignReferences({ id, auth })[0] ?? '',
    /^auth\."header:X Y\\u001b": .*`cordon vault set notion\/header-X-Y`/,
  )
})
