/**
 * A careless server in the real sandbox, with a sealed credential: Node's own fetch inside → the real proxy → a TLS
 * server on loopback. While it is called a hundred times, its whole sandbox is searched for the value from outside.
 */
import assert from 'node:assert/strict'
import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createEgress } from '../../../src/egress/create-egress.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openOutside, type Outside } from '../../../src/egress/test-outside.ts'
import type { SandboxedProcess } from '../../../src/kernel/sandbox-port.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { define, openHouse, type TestHouse } from '../../servers/runtime/direct-sandbox.ts'
import { sweep } from './sweep.ts'

const SECRET = 'canary-7f3a9c51e8d24b06'
const folder = mkdtempSync('/var/tmp/cordon-seal-')
chmodSync(folder, 0o755) // servers are not root, even where Cordon is
const signer = fileURLToPath(new URL('../../fixtures/servers/signer.mjs', import.meta.url))
cpSync(signer, path.join(folder, 'signer.mjs'))
const sandbox = await openSandbox({
  nodePath: process.execPath,
  cordonHome: `${folder}-home`,
  userHome: homedir(),
  timings: { politeMs: 500, firmMs: 500 },
  pinPath,
})
after(async () => {
  await sandbox[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true })
})

interface Scene {
  readonly house: TestHouse
  readonly process: () => SandboxedProcess
}

async function open(outside: Outside, isSealed: boolean): Promise<Scene> {
  const launched: SandboxedProcess[] = []
  const definition = define('it', 'signer', {
    command: 'node',
    args: [path.join(folder, 'signer.mjs')],
    allowedDomains: ['allowed.example', 'other.example'],
    auth: { TOKEN: { scheme: 'vault', name: 'token' } },
    ...(isSealed && { sealed: { TOKEN: ['allowed.example'] } }),
  })
  const watched: Pick<typeof sandbox, 'launch'> = {
    async launch(spec, signal) {
      const process = await sandbox.launch(spec, signal)
      launched.push(process)
      return process
    },
  }
  const egress = createEgress(outside.parts())
  const rooms = { sandbox: watched, egress, log: outside.parts().log, secrets: { token: SECRET } }
  const house = await openHouse([definition], rooms)
  const process = (): SandboxedProcess => launched.at(-1) ?? assert.fail('it never started')
  return { house, process }
}

const get = (house: TestHouse, host: string) => house.call('it', 'get', { url: `https://${host}/` })

test('SEAL-1: the value of a sealed credential is nowhere in the sandbox during a hundred calls', async () => {
  await using outside = await openOutside()
  const seen: string[] = []
  outside.answer = ({ headers }, response) => {
    seen.push(headers.authorization ?? '')
    response.end('fine')
  }
  const { house, process } = await open(outside, true)
  await using _ = house
  for (let n = 1; n <= 100; n += 1) {
    const result = await get(house, 'allowed.example')
    assert.match(JSON.stringify(result), /200 fine/)
    if (n % 25 === 0) assert.deepEqual(sweep(process().pid, SECRET), [])
  }
  assert.deepEqual(new Set(seen), new Set([`Bearer ${SECRET}`]))
  assert.match(JSON.stringify(await get(house, 'other.example')), /200 fine/)
  const placeholder = seen.at(-1)?.slice('Bearer '.length) ?? ''
  assert.match(placeholder, /^CordonSealed[0-9a-f]{32}$/)
  const held = sweep(process().pid, placeholder).map((place) => place.replace(/\d+$/, 'N'))
  assert.deepEqual(
    new Set(held),
    new Set(['memory of N', 'environment of N', 'file tmp/environment.json']),
    'the search finds what is there',
  )
  const written = JSON.stringify(await house.servers.logs(parseServerId('it')))
  assert.ok(written.includes(`My token is ${placeholder}`))
  assert.ok(!JSON.stringify([written, outside.events, outside.logged]).includes(SECRET))
})

test('a credential that is not sealed is found by the same search', async () => {
  await using outside = await openOutside()
  const { house, process } = await open(outside, false)
  await using _ = house
  await get(house, 'allowed.example')
  const held = sweep(process().pid, SECRET).map((place) => place.replace(/\d+$/, 'N'))
  assert.ok(held.includes('memory of N') && held.includes('environment of N'))
  assert.ok(held.includes('file tmp/environment.json'))
})
