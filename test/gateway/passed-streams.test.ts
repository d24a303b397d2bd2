/** `cordon gateway` hands its standard input and output to the kernel, and is not on the way of a call any more. */
import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { createReadStream, openSync, writeFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { environmentFor, finish, MAIN, seen } from '../fixtures/cordon.ts'
import { openGatewayCordon, openLines, textOf, toolCall } from '../fixtures/gateway-cordon.ts'

const PING = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
const PONG = { jsonrpc: '2.0', id: 1, result: {} }
const SERVERS = { notes: ['features', 'legacy', 'notes'] } as const
const WAIT = { jsonrpc: '2.0', id: 7, method: 'tools/call' } as const

test('a call is answered while the process of `cordon gateway` is stopped', async () => {
  await using gateway = await openGatewayCordon({ echo: ['echo'] }, ['one'])
  const lines = openLines(gateway.cordon, 'one')
  lines.write(PING)
  assert.deepEqual(await lines.next(), PONG)
  lines.child.kill('SIGSTOP')
  lines.write(JSON.stringify(toolCall('echo__echo', { text: 'no relay' }, 2)))
  assert.match(JSON.stringify(await lines.next()), /no relay/)
  lines.child.kill('SIGCONT')
  lines.child.stdin?.end()
  await lines.ended
})

/** A pipe whose other end stays open here, whatever becomes of the process that is given this end. */
function openPipe(
  place: string,
  end: 'r' | 'w',
): { readonly kept: number; readonly given: number } {
  execFileSync('/usr/bin/mkfifo', [place])
  const kept = openSync(place, 'r+')
  return { kept, given: openSync(place, end) }
}

test('a `cordon gateway` that is killed ends the call under way, though its program keeps both pipes open', async () => {
  await using gateway = await openGatewayCordon(SERVERS, ['one', 'two'])
  const { home } = gateway.cordon
  const input = openPipe(path.join(home, 'in'), 'r')
  const output = openPipe(path.join(home, 'out'), 'w')
  const args = [MAIN, 'gateway', '--client', 'one']
  const env = environmentFor(home)
  const child = spawn(process.execPath, args, { env, stdio: [input.given, output.given, 'ignore'] })
  const answers = createReadStream('', { fd: output.kept })
  const params = { name: 'notes__wait', arguments: {}, _meta: { progressToken: 1 } }
  writeSync(input.kept, `${JSON.stringify({ ...WAIT, params })}\n`)
  await seen(answers, /notifications\/progress/)
  child.kill('SIGKILL')
  const other = openLines(gateway.cordon, 'two')
  for (let count = '0', id = 1; count !== '1'; id += 1) {
    other.write(JSON.stringify(toolCall('notes__cancelled', {}, id)))
    count = textOf(await other.next())
  }
  other.child.stdin?.end()
  answers.on('error', () => undefined).destroy()
  writeSync(output.kept, '\n') // lets the read under way return
})

test('lines that come together with the end of the input are answered, from pipe and file', async () => {
  await using gateway = await openGatewayCordon({}, ['one'])
  const { cordon } = gateway
  const file = path.join(cordon.home, 'ping')
  writeFileSync(file, `${PING}\n`)
  const start = (from: string): readonly string[] => [
    '-c',
    `${from} "$0" "$1" gateway --client one ${from === '' ? `< "$2"` : ''} | cat`,
    process.execPath,
    MAIN,
    file,
  ]
  for (const from of [`cat "$2" |`, '']) {
    const child = spawn('sh', start(from), { env: environmentFor(cordon.home) })
    const { stdout, stderr } = await finish(child)
    assert.deepEqual(JSON.parse(stdout), PONG, `${from}: ${stderr}`)
  }
})

test('a client that reads late gets every answer', async () => {
  await using gateway = await openGatewayCordon({ echo: ['echo'] }, ['one'])
  const lines = openLines(gateway.cordon, 'one')
  lines.child.stdout?.pause()
  const text = 'x'.repeat(300_000)
  for (let id = 1; id <= 10; id += 1) {
    lines.write(JSON.stringify(toolCall('echo__echo', { text }, id)))
  }
  lines.write(PING)
  lines.child.stdout?.resume()
  let whole = 0
  for (let at = 0; at < 11; at += 1) {
    if (JSON.stringify(await lines.next()).includes(text)) whole += 1
  }
  assert.equal(whole, 10)
  lines.child.stdin?.end()
  await lines.ended
})
