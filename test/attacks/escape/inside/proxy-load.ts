/** Attempts to wear the proxy out: many connections, slow ones, fast ones. Bounded in number and time. */
import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { ask, connectTo, open } from './ask.ts'
import { type Attempts, Stopped } from './probe.ts'

const CAP = 64
/** What the bucket holds at once, and what drips in every second. */
const BURST = 20
const AT_ONCE = 40
/** In waves: a queue of connections that nobody took yet has an end of its own. */
const WAVE = 100

/** Never finishes its request; waits a moment for being turned away. */
async function openSlow(port: number): Promise<Socket> {
  const socket = open(port)
  socket.write('CONNECT allowed.example:443 HTTP/1.1\r\nX: slow')
  const settled = Promise.withResolvers<void>()
  socket.resume().once('end', settled.resolve).once('close', settled.resolve)
  await Promise.race([settled.promise, delay(100)])
  return socket
}

function isHeld(socket: Socket): boolean {
  return !socket.readableEnded && !socket.destroyed
}

async function openMany(port: number, count: number): Promise<readonly Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const wave = Array.from({ length: Math.min(WAVE, count - sockets.length) }, () =>
      openSlow(port),
    )
    sockets.push(...(await Promise.all(wave)))
  }
  await delay(400) // the last ones may still be on their way out
  return sockets
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

export const PROXY_LOAD: Attempts = {
  51: (aim) => {
    let sockets: readonly Socket[] = []
    return {
      'many slow connections': async () => {
        sockets = await openMany(aim.proxyPort, Number(aim.words['count']))
        const held = sockets.filter(isHeld).length
        if (held > CAP) return `${held} connections held`
        throw new Stopped(`capped at ${held}`)
      },
      'slow for ever': async () => {
        const deadline = performance.now() + Number(aim.words['patienceMs'])
        while (sockets.some(isHeld) && performance.now() < deadline) await delay(50)
        const held = sockets.filter(isHeld).length
        for (const socket of sockets) socket.destroy()
        if (held > 0) return `${held} connections held`
        throw new Stopped('closed in time')
      },
      'many new ones at once': () => burst(aim.proxyPort),
    }
  },
}
