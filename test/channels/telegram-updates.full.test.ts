/**
 * Three hundred updates with duplicates, reorder, 429s, cut connections, restarts and kills at any moment: each is
 * handled once, and one whose handling was cut off is told about instead of repeated.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { until } from '../fixtures/until.ts'
import { ADA, BOB, openTelegramHouse } from './telegram-house.ts'

const UPDATES = 300

/** A repeatable random number below `most`. */
function createDice(seed: number): (most: number) => number {
  let state = seed
  return (most) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * most)
  }
}

for (const seed of [1, 2]) {
  test(`CHAT-3: ${UPDATES} updates are each handled once, whatever happens (seed ${seed})`, async () => {
    await using house = await openTelegramHouse()
    const { server, telegram } = house
    const { code } = await telegram.pair('paired')
    server.write(BOB, code)
    await server.said(BOB, /You are paired/)
    const dice = createDice(seed)
    const begun: string[] = []
    house.handlers = {
      setup: async () => undefined,
      async chat({ text }) {
        begun.push(text)
        if (dice(4) === 0) await pause(dice(5))
        return { kind: 'text', text: `done ${text}` }
      },
    }
    server.isMessy = true
    const written: string[] = []
    while (written.length < UPDATES) {
      const text = `no. ${written.length}`
      written.push(text)
      server.write(written.length % 3 === 0 ? BOB : ADA, text)
      if (dice(5) === 0) await pause(dice(6))
      await disturb(house, dice)
    }
    server.isDown = false
    server.limits.clear()
    await until(() => begun.length >= UPDATES && server.sent.length > 0)
    await until(() => [...house.notes.all.values()].every((one) => !one.includes('"isOver":false')))
    assert.deepEqual(begun.toSorted(), written.toSorted())
    // In each chat those that were begun were begun in order.
    for (const rest of [0, 1]) {
      const own = begun
        .map((text) => Number(text.slice(4)))
        .filter((at) => ((at + 1) % 3 === 0) === (rest === 0))
      assert.deepEqual(
        own,
        own.toSorted((a, b) => a - b),
      )
    }
    const told = server.sent.filter(({ text }) => text.includes('I was stopped')).length
    const answered = new Set(
      server.sent.map(({ text }) => text).filter((text) => /done|privacy/.test(text)),
    )
    assert.ok(answered.size > 1)
    console.log(
      `seed ${seed}: ${begun.length} handled, ${house.kills} kills, ${told} told of a cut`,
    )
  })
}

async function disturb(
  house: Awaited<ReturnType<typeof openTelegramHouse>>,
  dice: (most: number) => number,
): Promise<void> {
  const { server } = house
  const what = dice(40)
  if (what === 0) await house.restart()
  if (what === 1) await house.kill()
  if (what === 2) server.limits.set('sendMessage', 1 + dice(3))
  if (what === 3) server.limits.set('getUpdates', 1 + dice(2))
  if (what === 4) server.isDown = true
  if (what > 4 && what < 10) server.isDown = false
  server.changes.announce()
}
