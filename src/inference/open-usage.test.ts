import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseProfiles } from './model-profiles.ts'
import { openUsage } from './open-usage.ts'

const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
const USED = { profile: 'a', inputTokens: 60, outputTokens: 40, cost: 0.5, ms: 2000 }

function profileWith(budget: object) {
  const [profile] = parseProfiles({
    a: {
      url: 'https://api.example.com/v1',
      model: 'm',
      price_per_million: { input: 1, output: 1 },
      budget_per_day: budget,
    },
  }).values()
  assert.ok(profile)
  return profile
}

function memoryNotes() {
  const rows = new Map<string, string>()
  return {
    rows,
    put: async (_kind: string, id: string, content: string) => void rows.set(id, content),
    list: async () => [...rows].map(([id, content]) => ({ id, content })),
  }
}

test('tokens, cost and time are each a budget; a spent one is refused with a sentence until tomorrow', async () => {
  const clock = { ms: Date.UTC(2026, 10, 16, 12) }
  const usage = openUsage({ notes: memoryNotes(), log, now: () => clock.ms })
  const spent = async (budget: object) => (await usage.spent(profileWith(budget)))?.message
  await usage.add(USED)
  assert.equal(await spent({ tokens: 101, cost: 0.6, seconds: 3 }), undefined)
  assert.match((await spent({ tokens: 100 })) ?? '', /"a" for today is spent: 100 tokens/)
  assert.match((await spent({ cost: 0.5 })) ?? '', /spent: \$0\.5/)
  assert.match((await spent({ seconds: 2 })) ?? '', /spent: 2 seconds/)
  clock.ms += 86_400_000
  assert.equal(await spent({ tokens: 100 }), undefined)
})

test('a restart gives no new budget, and answers at the same time are all counted', async () => {
  const notes = memoryNotes()
  const first = openUsage({ notes, log, now: Date.now })
  await Promise.all(Array.from({ length: 20 }, () => first.add(USED)))
  const again = openUsage({ notes, log, now: Date.now })
  assert.deepEqual(await again.today('a'), { tokens: 2000, cost: 10, seconds: 40 })
})

test('a full disk or a damaged row loses no answer, and the budget still holds in this process', async () => {
  const warned: string[] = []
  const usage = openUsage({
    notes: {
      put: async () => await Promise.reject(new Error('disk full')),
      list: async () => [{ id: 'a', content: '{"day":' }],
    },
    log: { ...log, warn: (message) => warned.push(message) },
    now: Date.now,
  })
  await usage.add(USED)
  assert.equal((await usage.today('a')).tokens, 100)
  assert.equal(warned.length, 1)
})
