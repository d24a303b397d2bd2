/** A connection that is under way in one chat, and messages of its owner in another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GOOD, openChat } from './fake-chat.ts'
import { messageIn, NEVER, settle, textOf } from './fake-world.ts'

test('an answer counts in the chat that asked; a token is taken wherever it is sent', async () => {
  const { world, setup, send } = openChat()
  await send('connect notion')
  const elsewhere = async (text: string) => {
    const message = messageIn(world, text)
    const ref = message.ref && { ...message.ref, chat: 'other' }
    const answer = textOf(await setup.take({ ...message, ...(ref && { ref }) }, NEVER))
    await settle()
    return answer
  }
  for (const text of ['cancel', 'yes', 'search'])
    assert.equal(await elsewhere(text), undefined, text)
  assert.equal(setup.view()?.phase, 'awaiting-credential')
  assert.match((await elsewhere(GOOD)) ?? '', /stored|Notion/i)
  assert.equal(setup.view()?.phase, 'connected')
})

test('every terminal of this machine may answer, and a chat elsewhere may not', async () => {
  const { world, setup } = openChat()
  const at = async (text: string, place: { chat?: string; channel: string }) => {
    const { ref: _none, ...message } = messageIn(world, text)
    const answer = textOf(await setup.take({ ...message, ...place }, NEVER))
    await settle()
    return answer
  }
  await at('connect notion', { channel: 'terminal', chat: '/dev/pts/1' })
  assert.equal(await at('cancel', { channel: 'page', chat: 'tab' }), undefined)
  const cancelled = await at('cancel', { channel: 'terminal', chat: '/dev/pts/2' })
  assert.equal(cancelled, 'Notion setup cancelled.')
})
