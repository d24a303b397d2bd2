/** Attempts to wear the proxy out: many connections, slow ones, fast ones. Bounded in number and time. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, connectTo, open } from './ask.ts'
import { type Aim, type Attempts, type Probes, Stopped } from './probe.ts'

const CAP = 64
/** As many as are let in without a question. */
const FEW = 10
/** What the bucket holds at once, and what drips in every second. */
const BURST = 20
const AT_ONCE = 40
/** In waves: a queue of connections that nobody took yet has an end of its own. */
const WAVE = 100

/** Never finishes its request. */
async function openSlow(port: number): Promise<Socket> {
  const socket = open(port).resume()
  socket.write('CONNECT allowed.example:443 HTTP/1.1\r\nX: slow')
  await once(socket, 'connect').catch(() => undefined)
  return socket
}

async function openMany(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const wave = Array.from({ length: Math.min(WAVE, count - sockets.length) }, () =>
      openSlow(port),
    )
    sockets.push(...(await Promise.all(wave)))
  }
  return sockets
}

/** How many are still open, once it is no more than this or patience has ended. */
async function heldAtLast(
  sockets: readonly Socket[],
  most: number,
  { patienceMs }: Aim,
): Promise<number> {
  const held = (): number =>
    sockets.filter(({ readableEnded, destroyed }) => !readableEnded && !destroyed).length
  const deadline = performance.now() + patienceMs
  while (held() > most && performance.now() < deadline) await delay(20)
  return held()
}

async function burst(port: number): Promise<string> {
  const began = performance.now()
  const asked = Array.from({ length: AT_ONCE }, () => ask(port, connectTo('allowed.example:443')))
  const replies = await Promise.all(asked)
  const most = BURST * (1 + (performance.now() - began) / 1000) + 1
  for (const { socket } of replies) socket.destroy()
  const opened = replies.filter(({ status }) => status === 200).length
  const slowed = replies.filter(({ status }) => status === 429).length
  if (opened + slowed !== AT_ONCE || opened === 0) throw new Error(`${opened} and ${slowed}`)
  if (opened > most) return `${opened} tunnels at once`
  throw new Stopped('429 for the rest')
}

/** More than it may have, none of which ends by itself. */
async function tooMany(aim: Aim): Promise<string> {
  const sockets = await openMany(aim.proxyPort, Number(aim.words['count']))
  const held = await heldAtLast(sockets, CAP, aim)
  for (const socket of sockets) socket.destroy()
  if (held > CAP) return `${held} connections held`
  throw new Stopped(`capped at ${held}`)
}

async function tooSlow(aim: Aim): Promise<string> {
  const sockets = await openMany(aim.proxyPort, FEW)
  const held = await heldAtLast(sockets, 0, aim)
  for (const socket of sockets) socket.destroy()
  if (held > 0) return `${held} connections held`
  throw new Stopped('closed in time')
}

export const PROXY_LOAD: Attempts = {
  51: (aim): Probes =>
    'count' in aim.words
      ? { 'many slow connections': () => tooMany(aim) }
      : {
          'slow for ever': () => tooSlow(aim),
          'many new ones at once': () => burst(aim.proxyPort),
        },
}
