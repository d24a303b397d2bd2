/** Hosts that repeat a sealed credential in the head of an answer, spelled in another way than it was sent. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { get, openSealedStage, SECRET } from '../../../src/egress/seal/test-sealed.ts'
import { openOutside } from '../../../src/egress/test-outside.ts'

test('SEAL-1: an answer whose headers hold the value in another spelling arrives with the placeholder', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const said = {
    'as it was sent': Buffer.from(`user:${SECRET}`).toString('base64'),
    'at every alignment': ['', 'a', 'ab'].map((before) => {
      return Buffer.from(`${before}${SECRET}!`).toString('base64')
    }),
    base64url: Buffer.from(`{"token":"${SECRET}"}`).toString('base64url'),
    hex: Buffer.from(SECRET).toString('hex'),
    HEX: Buffer.from(SECRET).toString('hex').toUpperCase(),
    'as a URL': Buffer.from(SECRET).toString('hex').replace(/../g, '%$&'),
  }
  const texts = Object.values(said).flat()
  outside.answer = (_, response) => response.writeHead(200, { 'X-Echo': texts }).end()
  const line = `Authorization: Basic ${Buffer.from(`user:${stage.placeholder}`).toString('base64')}`
  const answer = await stage.send('allowed.example', get('/', [line]))
  assert.equal(answer.split(stage.placeholder).length - 1, texts.length, answer)
  // Up to four bits of either end share a character of base64 with what stands beside the value.
  for (const text of texts) assert.ok(!answer.includes(text.slice(12, 24)), text)
})
