/**
 * A connection crashes at every single effect it has, once just before it and once just after, and is started again. It
 * continues or ends with a clear message; the credential is stored once or not at all; its message is deleted.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OwnedSetup } from '../../src/setup/create-setup.ts'
import { createWorld, messageIn, NEVER, notion, settle, textOf, type World } from './fake-world.ts'

const BAD = 'ntn_000000aBcDeFgHiJkLmNoPqRsTuVwXyZ'
const GOOD = 'ntn_265011aBcDeFgHiJkLmNoPqRsTuVwXyZ'
/** Messages that lead through every state: asked, refused, asked again, connected. */
const SCRIPT = ['connect notion', BAD, GOOD]

interface Crash {
  readonly world: World
  /** The messages that the person had sent by then. */
  readonly sent: readonly string[]
  /** The effect at which the connection crashed, and whether that effect took place. */
  readonly at: string
  readonly isDone: boolean
}

async function crash(step: number, isDone: boolean): Promise<Crash | undefined> {
  const world = createWorld()
  world.accepted.add(GOOD)
  const ended = Promise.withResolvers<'ended'>()
  let isOver = false
  let at = ''
  const onCrash = (effect: string): void => {
    isOver = true
    at = effect
    ended.resolve('ended')
  }
  const setup = world.open({}, { step, isDone, onCrash })
  const sent: string[] = []
  for (const text of SCRIPT) {
    sent.push(text)
    await Promise.race([setup.take(messageIn(world, text), NEVER), ended.promise])
    await settle()
    if (isOver) break
    world.now += 1000
  }
  if (!isOver) return undefined
  world.now += 1000
  return { world, sent, at, isDone }
}

async function everyCrash(check: (crash: Crash, name: string) => Promise<void>): Promise<number> {
  let count = 0
  for (let step = 0; ; step += 1) {
    for (const isDone of [false, true]) {
      const crashed = await crash(step, isDone)
      if (!crashed) return count
      count += 1
      await check(crashed, `${isDone ? 'after' : 'before'} effect ${step}, ${crashed.at}`)
    }
  }
}

function assertSound({ world, sent, at, isDone }: Crash, name: string): void {
  const tokens = sent.filter((text) => text.startsWith('ntn_'))
  const secret = world.secrets.get('notion_token')
  if (secret) assert.ok(tokens.includes(secret.value), name)
  assert.ok((secret?.sets ?? 0) <= tokens.length, `stored twice ${name}`)
  // A message can stay only if the crash came before the note about its deletion was written.
  const left = [...world.chat.values()].filter((text) => text.startsWith('ntn_'))
  const isUnheard = at === 'note setup.deletion' && !isDone
  assert.equal(left.length, isUnheard ? 1 : 0, `left in the chat ${name}`)
  assert.ok(![...world.notes.keys()].some((key) => key.startsWith('setup.deletion')), name)
}

/** The person goes on until the service is connected. */
async function goOn(world: World, setup: OwnedSetup): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) {
    const phase = setup.view()?.phase
    if (phase === 'connected') return
    const text = phase === 'awaiting-credential' ? GOOD : 'connect notion'
    assert.notEqual(textOf(await setup.take(messageIn(world, text), NEVER)), undefined)
    await settle()
  }
}

test('started again at once, it goes on from where it was', async () => {
  const crashes = await everyCrash(async (crashed, name) => {
    const { world } = crashed
    const setup = world.open()
    await setup.resume()
    await settle()
    assertSound(crashed, name)
    const isStored = world.secrets.get('notion_token')?.value === GOOD
    if (isStored) assert.ok(world.running.has(notion), `asks again for what it has ${name}`)
    await goOn(world, setup)
    assert.equal(setup.view()?.phase, 'connected', name)
    assert.deepEqual(world.running.get(notion), [GOOD], name)
    assert.equal(world.definitions.size, 1, name)
    assert.equal(world.notes.size, 0, name)
  })
  assert.ok(crashes > 50, `${crashes} crashes`)
})

test('started again too late, it ends with a message and leaves nothing half connected', async () => {
  await everyCrash(async (crashed, name) => {
    const { world } = crashed
    const note = [...world.notes.values()].find(({ kind }) => kind === 'setup.flow')
    const isSeen = world.audit.some(({ kind }) => kind === 'setup.connected')
    const wasConnected = isSeen && (!note || note.content.includes('"state":{"kind":"connected"}'))
    world.now += 11 * 60_000
    world.outbox.length = 0
    const setup = world.open()
    await setup.resume()
    await settle()
    assertSound(crashed, name)
    assert.equal(world.notes.size, 0, name)
    const phase = setup.view()?.phase
    if (phase === 'cancelled') assert.match(world.outbox.join(), /timed out/, name)
    const isConnected = wasConnected || phase === 'connected'
    if (note) assert.ok(phase === 'cancelled' || phase === 'connected', name)
    assert.equal(world.definitions.size, isConnected ? 1 : 0, name)
  })
})

test('a second token that was not stored in time is asked for again, and costs no attempt', async () => {
  let seen = 0
  await everyCrash(async ({ world, sent, at, isDone }) => {
    if (at !== 'set notion_token' || isDone || sent.length < 3) return
    seen += 1
    const setup = world.open()
    await setup.resume()
    await settle()
    assert.match(world.outbox.at(-1) ?? '', /^Failed to store credential\. I was restarted/)
    assert.equal(setup.view()?.phase, 'awaiting-credential')
  })
  assert.equal(seen, 1)
})
