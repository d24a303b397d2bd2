/** Many processes that renew one token at once, and processes that are killed during a renewal. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { rounds } from '../../src/kernel/test-rounds.ts'
import { type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { never, openOAuthRooms, storedToken } from './oauth-rooms.ts'
import { startRefreshChild } from './refresh-child.ts'
import { signInFor } from './sign-in-for.ts'

const PROCESSES = rounds(12, 4)
const ROUNDS = rounds(4, 2)

test(`SETUP-3: ${PROCESSES} processes renew a token once in each round, and every one of them has it`, async () => {
  const script = fileURLToPath(new URL('crowd.child.ts', import.meta.url))
  const child = spawn(process.execPath, [script, String(PROCESSES), String(ROUNDS)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const lastLine = (await text(child.stdout)).trim().split('\n').at(-1) ?? ''
  const report = JSON.parse(lastLine) as Record<string, unknown>
  const { redemptions, refused, lost } = report
  assert.deepEqual(
    { redemptions, refused, lost },
    { redemptions: Array.from({ length: ROUNDS }, () => 1), refused: 0, lost: 0 },
  )
})

/** Expires the dead process's lock at once, instead of after its 30 seconds. */
function outlive(folder: string): void {
  using database = new DatabaseSync(path.join(folder, 'state.db'))
  const { changes } = database.prepare("UPDATE lock SET until = '2000-01-01T00:00:00.000Z'").run()
  assert.equal(changes, 1, 'the dead process held the lock')
}

/** Calls `reached` before or after the server redeems a refresh token, and never sends the answer. */
function holdAnswers(server: OAuthServer, when: 'before' | 'after', reached: () => void): void {
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    response.end = (() => {
      reached()
      return response
    }) as typeof response.end
    if (when === 'before') reached()
    return when === 'before'
  }
}

for (const when of ['before', 'after'] as const) {
  test(`a process killed ${when} the server has redeemed leaves a whole token and a clear way on`, async () => {
    await using server = await openOAuthServer()
    await using rooms = await openOAuthRooms({ createFetch: server.createFetch })
    await signInFor(server, rooms)
    const before = await storedToken(rooms)
    const { promise: reached, resolve } = Promise.withResolvers<void>()
    holdAnswers(server, when, resolve)
    const child = await startRefreshChild(rooms.folder, server.port, 'expiry')
    rooms.clock.now += 3_550_000
    void child.at(rooms.clock.now)
    await reached
    await child.kill()
    assert.deepEqual(await storedToken(rooms), before)
    server.meddle = () => false
    outlive(rooms.folder)
    const answer = await rooms.tokens.freshness('notes', never)
    // The server rotates refresh tokens, so one that only the dead process received is lost: the owner is told, once.
    assert.equal(answer.kind, when === 'before' ? 'fresh' : 'needs-authorization')
    assert.equal(rooms.told.length, when === 'before' ? 0 : 1)
    await signInFor(server, rooms)
    assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'fresh')
  })
}
