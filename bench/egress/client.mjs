/**
 * Makes connections as it is told, one order per line on standard input, and answers with one line each. It runs inside a
 * sandbox, where it reaches the listeners there, and outside for the ways that need none.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'

const hello = Buffer.from(process.argv[2] ?? '', 'base64')
const CLIENTS = 16

/** Connect, CONNECT, send a hello, get it back, close. In milliseconds. */
async function takeWay({ port, target }) {
  const began = performance.now()
  const done = Promise.withResolvers()
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let isOpen = target === undefined
  let left = hello.length
  if (target === undefined) socket.write(hello)
  else socket.write(`CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  socket.on('data', (chunk) => {
    if (isOpen) left -= chunk.length
    else if (chunk.includes('\r\n\r\n')) {
      isOpen = true
      if (chunk.toString('latin1', 9, 12) !== '200') done.reject(new Error(chunk.toString()))
      socket.write(hello)
    }
    if (left === 0) done.resolve()
  })
  socket.on('error', done.reject)
  await done.promise
  const took = performance.now() - began
  socket.destroy()
  return took
}

async function inCrowd(work) {
  await Promise.all(Array.from({ length: CLIENTS }, work))
}

/** Connections a second of sixteen clients, over all ways in turn. */
async function crowd({ ways, ms }) {
  const began = performance.now()
  let done = 0
  await inCrowd(async () => {
    while (performance.now() - began < ms) {
      done += 1
      await takeWay(ways[done % ways.length])
    }
  })
  return (done / (performance.now() - began)) * 1000
}

async function tryBlocked({ way, count }) {
  let left = count
  await inCrowd(async () => {
    while (left > 0) {
      left -= 1
      const socket = connect(way.port, '127.0.0.1')
      socket.end(`CONNECT x${left}.evil.example:443 HTTP/1.1\r\n\r\n`)
      await once(socket.resume(), 'close')
    }
  })
  return count
}

async function takeOne({ way }) {
  const took = await takeWay(way)
  await sleep(1) // so that closing one connection does not slow the next
  return took
}

const orders = { take: takeOne, crowd, blocked: tryBlocked }

for await (const line of createInterface({ input: process.stdin })) {
  const order = JSON.parse(line)
  const answer = await orders[order.kind](order).catch((error) => ({ error: String(error) }))
  process.stdout.write(`${JSON.stringify(answer)}\n`)
}
