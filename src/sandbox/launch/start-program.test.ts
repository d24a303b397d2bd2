import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Writable } from 'node:stream'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { landlockRules } from '../plan/landlock-rules.ts'
import type { Place } from '../plan/places.ts'
import { sandboxChecks } from '../sandbox-checks.ts'
import { openTestSandbox } from '../test-sandbox.ts'
import { START_PROGRAM, startArguments, writeSheets } from './start-program.ts'

const checks = await sandboxChecks(new AbortController().signal)
const landlock = checks.find(({ name }) => name === 'landlock')
const skip = landlock?.verdict === 'ok' ? false : 'the kernel has no Landlock'
const { run } = await openTestSandbox()

/** Runs a shell command under the start program alone, with no other wall; its output and its errors. */
async function underWalls(walls: readonly string[], command: string): Promise<string> {
  const sheet = writeSheets(
    {
      command: ['/bin/sh', '-c', command],
      environment: { PATH: '/usr/bin:/bin' },
      walls,
      filters: [],
    },
    () => new Map(),
  )
  const words = ['--no-new-privs', 'perl', '-e', START_PROGRAM, ...startArguments(4, [])]
  const child = spawn('setpriv', words, { stdio: ['ignore', 'pipe', 'pipe', 'ipc', 'pipe'] })
  await once(child, 'message')
  const feed = child.stdio[4] as Writable
  feed.end(sheet('cgroup2'))
  const [out, errors] = await Promise.all([child.stdout, child.stderr].map((one) => text(one!)))
  return `${out}${errors}`
}

test('SANDBOX-1: Landlock alone keeps a program from every file that it is not shown', {
  skip,
}, async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-walls-'))
  const [shown, kept] = [`${folder}/shown`, `${folder}/kept`]
  writeFileSync(shown, 'one\n')
  writeFileSync(kept, 'two\n')
  const mounts = [{ source: shown, target: shown, writable: false }]
  const settings = { readOnlyFs: true, allowTmp: false }
  const walls = landlockRules({ settings, mounts, beside: [], places: [] })
  assert.equal(await underWalls(walls, `cat ${shown}`), 'one\n')
  assert.match(await underWalls(walls, `cat ${kept}`), /Permission denied/)
  assert.match(await underWalls(walls, `echo more >> ${shown}`), /Permission denied/)
  assert.match(await underWalls(walls, `echo new > ${folder}/new`), /Permission denied/)
  assert.match(await underWalls(walls, `rm ${kept}`), /Permission denied/)
  const writable = landlockRules({
    settings,
    mounts: [{ source: folder, target: folder, writable: true }],
    beside: [],
    places: [],
  })
  const work = `cd ${folder} && mkdir a b && echo x > a/f && mv a/f b/g && ln -s g b/h && cat b/h && rm -r a b`
  assert.equal(await underWalls(writable, work), 'x\n')
  assert.equal(await underWalls([], `cat ${kept}`), 'two\n', 'without rules nothing is restricted')
  rmSync(folder, { recursive: true })
})

const CONNECT = `
  const net = require('node:net')
  const server = net.createServer().listen(5000, '127.0.0.1', async () => {
    for (const port of [3128, 5000]) {
      const socket = net.connect(port, '127.0.0.1')
      console.log(await new Promise((tell) => {
        socket.on('connect', () => tell(port + ' connected')).on('error', ({ code }) => tell(port + ' ' + code))
      }))
      socket.destroy()
    }
    server.close()
  })`

test('SANDBOX-3: a server connects to its proxy and to no other port of its network', {
  skip,
}, async () => {
  const abi = Number(/ABI (\d+)/.exec(landlock?.finding ?? '')?.[1])
  const expected = abi >= 4 ? '3128 connected\n5000 EACCES\n' : '3128 connected\n5000 connected\n'
  assert.equal(await run('node', ['-e', CONNECT], { networked: true }), expected)
  const settings = { ownPorts: true }
  const open = await run('node', ['-e', CONNECT], { networked: true, settings })
  assert.equal(open, '3128 connected\n5000 connected\n')
})

test('SANDBOX-3: Landlock alone keeps a program from a service of the machine', {
  skip,
}, async () => {
  const service = createServer((socket) => socket.end('a service')).listen(0, '127.0.0.1')
  await once(service, 'listening')
  const { port } = service.address() as AddressInfo
  const ask = `exec 3<>/dev/tcp/127.0.0.1/${port} && cat <&3`
  const rules = (places: readonly Place[], ownPorts = false) => {
    const settings = { readOnlyFs: true, allowTmp: true, ownPorts }
    return landlockRules({ settings, mounts: [], beside: [], places })
  }
  const asked = (walls: readonly string[]) => underWalls(walls, `bash -c '${ask}'`)
  const reached = 'a service'
  const abi = Number(/ABI (\d+)/.exec(landlock?.finding ?? '')?.[1])
  const proxy = { address: '127.0.0.1', port: port === 3128 ? 3129 : 3128 }
  if (abi >= 4) assert.match(await asked(rules([proxy])), /Permission denied/)
  assert.equal(await asked(rules([{ address: '127.0.0.1', port }])), reached)
  assert.equal(await asked(rules([proxy], true)), reached)
  assert.equal(await asked([]), reached, 'without rules nothing is restricted')
  service.close()
})
