/**
 * Many processes with one token: in each round the token is about to expire for all of them at once. Prints the counts
 * of renewals and failures as JSON, on its last line. Arguments: how many processes, how many rounds.
 */
import assert from 'node:assert/strict'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { lentToken, never, openOAuthRooms, storedToken } from './oauth-rooms.ts'
import { startRefreshChild } from './refresh-child.ts'
import { signInFor } from './sign-in-for.ts'

const [processes = 12, rounds = 5] = process.argv.slice(2).map(Number)
const LIFE_S = 3600

await using stack = new AsyncDisposableStack()
const server = stack.use(await openOAuthServer({ accessTokenTtl: LIFE_S }))
const rooms = stack.use(await openOAuthRooms({ createFetch: server.createFetch }))
await signInFor(server, rooms)
const ways = Array.from({ length: processes }, (_, at) => (at % 2 === 0 ? 'expiry' : 'refusal'))
const crowd = await Promise.all(
  ways.map((way) => startRefreshChild(rooms.folder, server.port, way)),
)
for (const child of crowd) stack.use(child)

const redemptions: number[] = []
const ms: number[] = []
let lost = 0
const start = rooms.clock.now
for (let round = 1; round <= rounds; round += 1) {
  const before = server.granted.get('refresh_token') ?? 0
  const began = performance.now()
  const time = start + round * (LIFE_S - 30) * 1000
  const answers = await Promise.all(crowd.map((child) => child.at(time)))
  ms.push(performance.now() - began)
  redemptions.push((server.granted.get('refresh_token') ?? 0) - before)
  rooms.clock.now = time
  const { hash } = (await rooms.tokens.freshness('notes', never)) as { hash: string }
  lost += answers.filter((answer) => answer !== `fresh ${hash}`).length
}
assert.equal(await lentToken(rooms), (await storedToken(rooms))['access_token'])
const refused = server.refused.get('refresh_token') ?? 0
process.stdout.write(`\n${JSON.stringify({ redemptions, refused, lost, ms })}\n`)
