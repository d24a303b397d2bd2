import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createTolerantFetch } from './tolerant-fetch.ts'

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }

async function answerTo(body: string, init: ResponseInit = {}): Promise<Response> {
  return await createTolerantFetch(async () => new Response(body, init))('https://as.example/')
}

test('an error with status 200 becomes an error, in JSON and in a form', async () => {
  for (const response of [
    await answerTo('{"ok":false,"error":"invalid_code"}'),
    await answerTo('error=invalid_code&error_uri=x', { headers: FORM }),
  ]) {
    assert.equal(response.status, 400)
    assert.equal(((await response.json()) as { error: string }).error, 'invalid_code')
  }
})

test('an error keeps the status that it came with', async () => {
  assert.equal((await answerTo('{"error":"invalid_client"}', { status: 401 })).status, 401)
})

test('numbers as text, commas in scopes and Google’s name for the page are understood', async () => {
  const body =
    'access_token=a&expires_in=28800&scope=repo%2Cgist&verification_url=https%3A%2F%2Fas.example%2F'
  const answer = (await (await answerTo(body, { headers: FORM })).json()) as object
  assert.deepEqual(answer, {
    access_token: 'a',
    expires_in: 28_800,
    scope: 'repo gist',
    token_type: 'bearer',
    verification_uri: 'https://as.example/',
  })
})

test('an identity token and whatever else nobody uses end here', async () => {
  const response = await answerTo('{"access_token":"a","id_token":"b","hush":"c"}')
  assert.deepEqual(await response.json(), { access_token: 'a', token_type: 'bearer' })
})

test('any token response is parsed into known fields or an error', async () => {
  const known = new Set([
    'access_token',
    'token_type',
    'refresh_token',
    'scope',
    'expires_in',
    'error',
    'device_code',
    'user_code',
    'verification_uri',
    'interval',
  ])
  const body = fc.oneof(fc.string(), fc.json(), fc.webQueryParameters())
  const headers = fc.constantFrom(FORM, { 'content-type': 'application/json' })
  await fc.assert(
    fc.asyncProperty(body, headers, async (text, type) => {
      const response = await answerTo(text, { headers: type })
      const answer = await response.text()
      const fields = answer === '' ? [] : Object.keys(JSON.parse(answer) as object)
      assert.deepEqual(
        fields.filter((field) => !known.has(field)),
        [],
      )
    }),
  )
})
