import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createConfigFile } from './config-file.ts'
import { readSignInSettings } from './sign-in-settings.ts'

const read = (text: string | undefined) =>
  readSignInSettings(
    createConfigFile({ read: async () => (text === undefined ? text : Buffer.from(text)) }, '/c'),
    '/c',
  )

test('the settings of signing in are read from their table, and may all be absent', async () => {
  assert.deepEqual(await read(undefined), {})
  assert.deepEqual(await read('[oauth.github]\nclient_id = "x"'), {})
  assert.deepEqual(
    await read(
      '[sign_in]\nclient_document = "https://me.example/client.json"\ncallback_port = 8976',
    ),
    { clientDocument: 'https://me.example/client.json', callbackPort: 8976 },
  )
})

test('a document that no server could read, or a port that nobody can listen on, is refused', async () => {
  for (const line of [
    'client_document = "http://me.example/client.json"',
    'client_document = "https://me.example"',
    'client_document = "me"',
    'callback_port = 80',
    'callback_port = 70000',
    'callback_port = "8976"',
    'callback_prot = 8976',
  ]) {
    await assert.rejects(read(`[sign_in]\n${line}`), { code: 'home.config' }, line)
  }
})
