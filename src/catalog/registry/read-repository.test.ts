import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../kernel/test-never.ts'
import { createReadRepository, entryUrl } from './read-repository.ts'

const RAW = 'https://raw.githubusercontent.com/acme/tool'

test('the address of a repository, a folder or the file leads to its server.json', () => {
  for (const [address, url] of [
    ['https://github.com/acme/tool', `${RAW}/HEAD/server.json`],
    ['https://github.com/acme/tool.git', `${RAW}/HEAD/server.json`],
    ['https://www.github.com/acme/tool/?tab=readme', `${RAW}/HEAD/server.json`],
    ['https://github.com/acme/tool/tree/main/src/x', `${RAW}/main/src/x/server.json`],
    ['https://github.com/acme/tool/blob/v1.0/server.json', `${RAW}/v1.0/server.json`],
  ]) {
    assert.equal(entryUrl(address ?? ''), url)
  }
  for (const address of [
    'https://github.com/acme',
    'https://github.com/acme/tool/issues/3',
    'https://github.com.evil.example/acme/tool',
    'https://github.com/acme/tool/tree/main/../../../other',
    'http://github.com/acme/tool',
  ]) {
    assert.equal(entryUrl(address), undefined, address)
  }
})

test('what is no server.json is one sentence with the way forward', async () => {
  const answers = (...response: ConstructorParameters<typeof Response>) =>
    createReadRepository(async () => new Response(...response))('https://github.com/a/b', never)
  assert.equal(await answers('{"name": "x"}'), '{"name": "x"}')
  await assert.rejects(answers('Not found', { status: 404 }), /it has no server\.json/)
  await assert.rejects(answers('x'.repeat(70_000)), /it has no server\.json/)
  const down = createReadRepository(async () => Promise.reject(new Error('down')))
  await assert.rejects(down('https://github.com/a/b', never), /GitHub could not be reached/)
  assert.equal(await down('https://mcp.example.com', never), undefined)
})
