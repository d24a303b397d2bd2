import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type PassedStreams, takeStreams } from './passed-streams.ts'

const MODULE = new URL('passed-streams.ts', import.meta.url).href
/** Connects, gives its own streams, and stays until the connection ends. */
const GIVER = `
const { connect } = await import('node:net')
const { canPassStreams, giveStreams } = await import(${JSON.stringify(MODULE)})
const socket = connect(process.argv[1])
await new Promise((resolve) => socket.once('data', resolve))
if (process.argv[2] !== 'anyway' && !canPassStreams()) socket.write('x')
else await giveStreams(socket)
socket.resume().on('end', () => socket.end())
`

interface Passing extends AsyncDisposable {
  readonly taken: PassedStreams | undefined
  readonly child: ReturnType<typeof spawn>
}

async function pass(stdio: readonly ('pipe' | number)[], how = ''): Promise<Passing> {
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'cordon-pass-')), 'socket')
  const server = createServer().listen(place)
  await once(server, 'listening')
  const args = ['--input-type=module', '-e', GIVER, place, how]
  const child = spawn(process.execPath, args, { stdio: [...stdio, 'inherit'] })
  const [connection] = (await once(server, 'connection')) as [Socket]
  const taking = takeStreams(connection)
  connection.write('ready')
  const taken = await taking
  return {
    taken,
    child,
    async [Symbol.asyncDispose]() {
      connection.destroy()
      taken?.input.destroy()
      taken?.output.destroy()
      child.kill()
      await once(server.close(), 'close')
    },
  }
}

test('takeStreams() reads and writes the standard streams of the process that gave them', async () => {
  await using passing = await pass(['pipe', 'pipe'])
  const { taken, child } = passing
  assert.ok(taken)
  child.stdin?.write('to the taker')
  const [heard] = (await once(taken.input, 'data')) as [Buffer]
  assert.equal(heard.toString(), 'to the taker')
  taken.output.write('from the taker')
  const [said] = (await once(child.stdout ?? taken.input, 'data')) as [Buffer]
  assert.equal(said.toString(), 'from the taker')
})

test('takeStreams() takes no file, also if one is given', async () => {
  const file = openSync('/etc/hostname', 'r')
  await using passing = await pass([file, 'pipe'], 'anyway')
  assert.equal(passing.taken, undefined)
})

test('canPassStreams() says no to a file, and takeStreams() takes bytes without descriptors for nothing', async () => {
  const file = openSync('/etc/hostname', 'r')
  await using passing = await pass([file, 'pipe'])
  assert.equal(passing.taken, undefined)
})

test('takeStreams() ends when the other process goes away without giving anything', async () => {
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'cordon-pass-')), 'socket')
  const server = createServer().listen(place)
  await once(server, 'listening')
  const client = connect(place)
  const [connection] = (await once(server, 'connection')) as [Socket]
  const taking = takeStreams(connection)
  client.destroy()
  assert.equal(await taking, undefined)
  connection.destroy()
  server.close()
})
