import assert from 'node:assert/strict'
import { test } from 'node:test'
import { runFake } from '../fake-surface.ts'

const URL = 'https://me.example/cordon.json'

test('the document names itself and the ways back to this machine, and says where it goes', async () => {
  const { code, stdout, stderr } = await runFake(
    ['auth', 'client-document', URL, '--port', '8976'],
    {},
  )
  assert.equal(code, 0)
  const document = JSON.parse(stdout) as Record<string, unknown>
  assert.equal(document['client_id'], URL)
  assert.deepEqual(document['redirect_uris'], [
    'http://127.0.0.1/oauth/callback',
    'http://127.0.0.1:8976/oauth/callback',
  ])
  assert.equal(document['token_endpoint_auth_method'], 'none')
  assert.match(stderr, /client_document = "https:\/\/me\.example\/cordon\.json" under \[sign_in\]/)
})

test('an address that no server may use as a client id is refused', async () => {
  for (const url of ['http://me.example/c.json', 'https://me.example', 'cordon.json']) {
    const { code, stdout, stderr } = await runFake(['auth', 'client-document', url], {})
    assert.deepEqual([code, stdout], [2, ''], url)
    assert.match(stderr, /Write it like https:/)
  }
  const { code } = await runFake(['auth', 'client-document', URL, '--port', '80'], {})
  assert.equal(code, 2)
})
