/** Attempts to exhaust the proxy: many connections, slow ones, fast ones. Bounded in number and time. */
import { once } from 'node:events'
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, connectTo, open } from './ask.ts'
import { type Aim, type Attempts, type Probes, Stopped } from './probe.ts'

const CAP = 64
/** Few enough to stay below the rate limit and the cap. */
const FEW = 10
/** The proxy's rate limit: the burst, and also the new connections per second. */
const BURST = 20
const AT_ONCE = 40
/** Connections are opened in waves, since the listening socket's backlog of unaccepted connections is bounded too. */
const WAVE = 100

/** Opens a connection whose request never ends. */
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

/** How many sockets are still open, once at most `most` are or `patienceMs` have passed. */
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

/** Opens more connections than the cap; none of them ends by itself. */
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
