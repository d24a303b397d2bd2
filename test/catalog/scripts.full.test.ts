/**
 * Install scripts that the owner allowed: what they build is there, and what they try besides (network, home, other
 * folders, login, forks without end, processes that stay) ends in the install sandbox. Real npm, real scripts.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { describePackage } from '../../src/setup/server/describe-package.ts'
import { processesWith } from '../attacks/escape/processes.ts'
import { egressTo, installFrom, openPackageHouse, refuses, STAND_IN } from './package-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
const folder = mkdtempSync(path.join(homedir(), '.cordon-scripts-'))
writeFileSync(path.join(folder, 'key'), 'the secret of this home')
const heard: string[] = []
const listener = createServer((request, response) => {
  heard.push(request.url ?? '')
  response.end()
}).listen(0, '127.0.0.1')
await once(listener, 'listening')
const { port } = listener.address() as AddressInfo
after(async () => {
  await registry[Symbol.asyncDispose]()
  listener.close()
  rmSync(folder, { recursive: true })
})

const TOKEN = 'npm_token_of_the_owner'
const environment = { ...STAND_IN.environment, 'npm_config_//allowed.example/:_authToken': TOKEN }
const open = () => openPackageHouse(egressTo(registry.port), { environment })
const source = { kind: 'manual' } as const

/** Adds a package with this code as install script; the code writes its results into `built.json`. */
function add(name: string, script: string, more: object = {}): void {
  registry.add({
    name,
    description: { bin: 'run.js', scripts: { postinstall: 'node build.js' }, ...more },
    files: { 'run.js': '', 'build.js': script },
  })
}

const TRY = `
const { writeFileSync, readFileSync, readdirSync, symlinkSync } = require('node:fs')
const done = {}
const attempt = async (name, work) => { try { done[name] = String(await work()) } catch (error) { done[name] = 'no: ' + (error.code ?? error.cause?.code ?? error.message) } }
const finish = () => writeFileSync('built.json', JSON.stringify(done));
`

test('scripts are not run without a word of the owner; with it they build, and this is told', async () => {
  add('native', `${TRY} done.built = 'yes'; finish()`)
  await using house = await open()
  const plain = await installFrom(house, 'native')
  assert.ok(!existsSync(path.join(plain.folder, 'node_modules/native/built.json')))
  assert.match(describePackage(plain, source, Date.now()), /refused: native\. If it lacks a part/)
  const built = await installFrom(house, 'native', { allowScripts: true })
  assert.match(path.basename(built.folder), /^it@1\.0\.0\+scripts$/)
  const file = path.join(built.folder, 'node_modules/native/built.json')
  assert.equal(readFileSync(file, 'utf8'), '{"built":"yes"}')
  assert.deepEqual([built.ranScripts, built.refusedScripts], [['native'], []])
  assert.match(
    describePackage(built, source, Date.now()),
    /install scripts were run, without network: native/,
  )
  await house.packages.check(built.folder)
})

test('a script reaches no host, no home, no other folder and no login', async () => {
  add(
    'curious',
    `${TRY}
(async () => {
  await attempt('loopback', () => fetch('http://127.0.0.1:${port}/out').then((r) => r.status))
  await attempt('registry', () => fetch('https://allowed.example/').then((r) => r.status))
  await attempt('home', () => readFileSync('${folder}/key', 'utf8'))
  await attempt('shadow', () => readFileSync('/etc/shadow', 'utf8').length)
  await attempt('outside', () => { writeFileSync('/usr/cordon-was-here', 'x'); return 'wrote' })
  await attempt('beside', () => { writeFileSync('../../../../../beside', 'x'); return 'wrote' })
  await attempt('environment', () => Object.entries(process.env).filter(([, v]) => v.includes('${TOKEN}')).length)
  await attempt('link', () => { symlinkSync('/etc/passwd', 'passwd'); return 'made' })
  finish()
})()`,
  )
  await using house = await open()
  const { folder: at } = await installFrom(house, 'curious', { allowScripts: true })
  const own = path.join(at, 'node_modules/curious')
  const done = JSON.parse(readFileSync(path.join(own, 'built.json'), 'utf8')) as Record<
    string,
    string
  >
  for (const name of ['loopback', 'registry', 'home', 'shadow', 'outside', 'beside']) {
    assert.match(done[name] ?? '', /^no: /, name)
  }
  assert.equal(done['environment'], '0')
  assert.equal(done['link'], 'made') // and it is gone again: nothing in the folder leads elsewhere
  assert.ok(!readdirSync(own).includes('passwd'))
  assert.deepEqual(heard, [])
  assert.ok(!existsSync('/usr/cordon-was-here'))
  assert.deepEqual(
    house.list().filter((one) => !one.startsWith('it@')),
    [],
  )
})

test('a script that forks for ever, and one that leaves a process, end with the install', async () => {
  const mark = `cordon-left-${process.pid}`
  const stay = `require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => 0, 1000)', '${mark}'], { detached: true, stdio: 'ignore' }).unref()`
  add('staying', `${TRY} ${stay}; done.ok = 1; finish()`)
  add(
    'forking',
    `const { spawn } = require('node:child_process'); for (;;) try { spawn(process.execPath, [__filename, '${mark}'], { detached: true, stdio: 'ignore' }).on('error', () => process.exit(9)).unref() } catch { process.exit(9) }`,
  )
  await using house = await open()
  await installFrom(house, 'staying', { allowScripts: true })
  assert.deepEqual(processesWith(mark), [])
  await using another = await openPackageHouse(egressTo(registry.port), {
    environment,
    limits: { ms: 30_000 },
  })
  await assert.rejects(installFrom(another, 'forking', { allowScripts: true }))
  assert.deepEqual(processesWith(mark), [])
  assert.deepEqual(another.list(), [])
})

test('a script that fails leaves nothing, and the sentence says what it may have lacked', async () => {
  add('broken', 'process.exit(7)')
  await using house = await open()
  const why = /an install script of it failed; it has no network, and may lack a compiler/
  const installing = installFrom(house, 'broken', { allowScripts: true })
  await refuses(house, installing, 'catalog.install-failed', why)
})

test('a package whose prebuilt part came along needs no script, and this is told', async () => {
  const here = { os: [process.platform], cpu: [process.arch] }
  registry.add({ name: 'fast-here', description: here })
  add('fast', 'process.exit(1)', { optionalDependencies: { 'fast-here': '1.0.0' } })
  await using house = await open()
  const installed = await installFrom(house, 'fast')
  assert.deepEqual(installed.prebuilt, ['fast'])
  assert.match(
    describePackage(installed, source, Date.now()),
    /refused: fast\. They are not needed/,
  )
})
