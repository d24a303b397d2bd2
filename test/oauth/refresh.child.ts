/**
 * One of many processes that share a home. Each line on standard input is a time; the process answers with the hash of
 * the token that it would use then, after renewing it before expiry or, with `refusal`, as after a 401.
 */
import { createInterface } from 'node:readline'
import type { Freshness } from '../../src/setup/oauth/renewals.ts'
import { createLoopbackFetch } from './loopback-fetch.ts'
import { never, openOAuthRooms } from './oauth-rooms.ts'

const [folder = '', port = '', way = 'expiry'] = process.argv.slice(2)
const rooms = await openOAuthRooms({ folder, createFetch: createLoopbackFetch(Number(port)) })
const first = await rooms.tokens.freshness('notes', never)
let used = first.kind === 'fresh' ? first.hash : ''
process.stdout.write('ready\n')

for await (const line of createInterface({ input: process.stdin })) {
  rooms.clock.now = Number(line)
  const fresh: Freshness =
    way === 'refusal'
      ? await rooms.tokens.refreshAfter401('notes', used, never)
      : await rooms.tokens.freshness('notes', never)
  if (fresh.kind === 'fresh') used = fresh.hash
  process.stdout.write(`${fresh.kind} ${fresh.kind === 'fresh' ? fresh.hash : ''}\n`)
}
await rooms[Symbol.asyncDispose]()
