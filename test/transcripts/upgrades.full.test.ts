/**
 * Upgrades as a person types them, of an npm package and of a Python package: the differences before anything happens,
 * the tools as they were shown, one step back, and the old version whatever goes wrong. The real command line, sandbox,
 * npm and python3, with a registry and an index on loopback.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Output } from '../../src/api/contract.ts'
import { addTinyServer } from '../catalog/python-house.ts'
import { createStandInPages } from '../catalog/stand-in-registry.ts'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { AUTHORITY_FILE, openOutsideWorld } from '../fixtures/outside-world.ts'
import { createPythonIndex } from '../fixtures/python-index.ts'
import { tinyNpmPackage, tinyNpmServer } from '../fixtures/tiny-npm-server.ts'

const [INDEX, REGISTRY] = ['billing.example.com', 'mcp.acme.dev']
const index = createPythonIndex()
addTinyServer(index)
const registry = createStandInPages(REGISTRY)
registry.add(tinyNpmPackage('1.0.0'))
const world = await openOutsideWorld({ [INDEX]: index.handle, [REGISTRY]: registry.handle })
const BUILT = 'packages/native-node@3.1.0/node_modules/native-node/part.cjs'
const settings = {
  PIP_CONFIG_FILE: '/dev/null',
  PIP_INDEX_URL: `https://${INDEX}/simple`,
  PIP_CERT: AUTHORITY_FILE,
  npm_config_registry: `https://${REGISTRY}/`,
  npm_config_globalconfig: '/dev/null',
}
const cordon = await openCordonIn({ ...world, environment: { ...world.environment, ...settings } })
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
})

async function connect(line: string): Promise<void> {
  const { code, stdout, stderr } = await cordon.run(['connect', line], { stdin: 'yes\n' })
  assert.equal(code, 0, stderr + stdout)
}

async function greets(server: string): Promise<void> {
  const words = ['mcp', 'call', `${server}.greet`, '{"name":"Ann"}', '--yes']
  const { code, stdout, stderr } = await cordon.run(words)
  assert.match(stdout, /Hello Ann/, stderr)
  assert.equal(code, 0)
}

async function versionOf(server: string): Promise<string> {
  const shown = await cordon.ask<Output<'mcp.show'>>(['mcp', 'show', server])
  return /@([\d.]+(?:\+scripts)?)\//.exec(shown.args.join(' '))?.[1] ?? shown.args.join(' ')
}

test('the newest version is left alone', async () => {
  await connect('npx -y tiny-node')
  const { stdout } = await cordon.run(['mcp', 'upgrade', 'tiny-node'])
  assert.match(stdout, /tiny-node uses the newest version/)
})

test('an upgrade shows what changes in files, hosts, tools, size and publisher, and changes nothing by itself', async () => {
  const source = tinyNpmServer('Greets a person warmly', '// see https://collect.evil.test/in')
  const newer = tinyNpmPackage('1.1.0', source)
  const files = { ...newer.files, 'more.js': '1' }
  const scripts = { postinstall: 'node build.js' }
  const description = { ...newer.description, scripts }
  registry.add({
    ...newer,
    files,
    description,
    publisher: 'mallory',
    publishedAt: new Date().toISOString(),
  })
  const { code, stdout } = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--check'])
  assert.equal(code, 0)
  assert.match(stdout, /^tiny-node: tiny-node 1\.0\.0 → 1\.1\.0$/m)
  assert.match(stdout, /publisher: ann → mallory/)
  assert.match(stdout, /published less than a day ago/)
  assert.match(stdout, /^files: 1 added, 0 removed, 2 changed$/m)
  assert.match(stdout, /^ {2}\+ more\.js$/m)
  assert.match(stdout, /^ {2}~ index\.cjs$/m)
  assert.match(stdout, /^install scripts: new: tiny-node$/m)
  assert.match(stdout, /^hosts named in its code: new: collect\.evil\.test$/m)
  assert.match(stdout, /^tools: greet changes$/m)
  assert.match(stdout, /warmly/)
  assert.equal(await versionOf('tiny-node'), '1.0.0')
  await greets('tiny-node')
})

test('without a yes nothing is taken; with one the version and its tools are', async () => {
  const unasked = await cordon.run(['mcp', 'upgrade', 'tiny-node'])
  assert.equal(unasked.code, 2)
  assert.match(unasked.stderr, /Cannot ask for confirmation without a terminal/)
  assert.equal(await versionOf('tiny-node'), '1.0.0')
  const { code, stdout, stderr } = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /is now at 1\.1\.0.*--undo` goes back to 1\.0\.0/)
  assert.equal(await versionOf('tiny-node'), '1.1.0')
  await greets('tiny-node') // its changed tool was shown, and accepted with the upgrade
})

test('the version before stays for one step back, which brings back its own tools', async () => {
  const listed = await cordon.run(['package', 'list'])
  assert.match(listed.stdout, /tiny-node@1\.0\.0 .*for `cordon mcp upgrade tiny-node --undo`/)
  const back = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--undo', '--yes'])
  assert.equal(back.code, 0, back.stderr)
  assert.match(back.stdout, /tiny-node is back at 1\.0\.0, from 1\.1\.0/)
  assert.equal(await versionOf('tiny-node'), '1.0.0')
  await greets('tiny-node')
  const again = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--undo', '--yes'])
  assert.equal(again.code, 2)
  assert.match(again.stderr, /there is no upgrade of "tiny-node" to undo/)
})

test('a version that does not start is taken back at once', async () => {
  registry.add(tinyNpmPackage('1.2.0', 'console.error("no luck"); process.exit(3)'))
  const { code, stderr } = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])
  assert.equal(code, 5, stderr)
  assert.match(stderr, /tools: not known before it runs with its credentials/)
  assert.match(stderr, /Cannot upgrade "tiny-node" to 1\.2\.0: .*; 1\.0\.0 is in use again/)
  assert.equal(await versionOf('tiny-node'), '1.0.0')
  await greets('tiny-node')
})

test('a version that does not start leaves the way back from the one before', async () => {
  registry.add(tinyNpmPackage('1.3.0'))
  const good = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])
  assert.equal(good.code, 0, good.stderr)
  registry.add(tinyNpmPackage('1.4.0', 'process.exit(3)'))
  const bad = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--yes'])
  assert.match(bad.stderr, /; 1\.3\.0 is in use again/)
  const listed = await cordon.run(['package', 'list'])
  assert.match(listed.stdout, /tiny-node@1\.0\.0 .*for `cordon mcp upgrade tiny-node --undo`/)
  const back = await cordon.run(['mcp', 'upgrade', 'tiny-node', '--undo', '--yes'])
  assert.match(back.stdout, /tiny-node is back at 1\.0\.0, from 1\.3\.0/, back.stderr)
  await greets('tiny-node')
})

test('a Python package is upgraded by its pasted line, and by a line in its file', async () => {
  await connect('uvx tiny-mcp')
  const file = path.join(path.dirname(cordon.home), 'claude.json')
  const moved = { command: 'uvx', args: ['tiny-mcp==1.0'] }
  writeFileSync(file, JSON.stringify({ mcpServers: { moved } }))
  assert.equal((await cordon.run(['mcp', 'migrate', '--from', file])).code, 0)
  addTinyServer(index, '1.1', (source) => source.replace('Greets a person', 'Greets anybody'))
  for (const server of ['tiny', 'moved']) {
    const { code, stderr } = await cordon.run(['mcp', 'upgrade', server, '--yes'])
    assert.equal(code, 0, stderr)
    assert.match(stderr, /tiny-mcp 1\.0 → 1\.1/)
    assert.match(stderr, /^tools: greet changes$/m)
    assert.equal(await versionOf(server), '1.1')
    await greets(server)
  }
  const definition = (): string => readFileSync(path.join(cordon.home, 'mcp', 'moved.toml'), 'utf8')
  assert.match(definition(), /"tiny-mcp==1\.1"/)
  assert.equal((await cordon.run(['mcp', 'upgrade', 'moved', '--undo', '--yes'])).code, 0)
  assert.match(definition(), /"tiny-mcp==1\.0"/)
  assert.equal(await versionOf('moved'), '1.0')
  await greets('moved')
})

test('install scripts run on the word of the owner alone, and are recorded and shown', async () => {
  const newer = tinyNpmPackage('3.0.0', tinyNpmServer('Greets', "require('./part.cjs')"))
  const scripts = { postinstall: `node -e "fs.writeFileSync('part.cjs', '')"` }
  registry.add({ ...newer, name: 'native-node', description: { bin: 'index.cjs', scripts } })
  const refused = await cordon.run(['connect', 'npx -y native-node'], { stdin: 'yes\n' })
  assert.notEqual(refused.code, 0)
  const said = refused.stdout + refused.stderr
  assert.match(said, /Install scripts were refused: native-node\. .*--allow-scripts/)
  assert.match(said, /part\.cjs/)
  await cordon.run(['disconnect', 'native-node', '--yes'])
  const line = ['connect', 'npx -y native-node', '--allow-scripts']
  const { code, stdout, stderr } = await cordon.run(line, { stdin: 'yes\n' })
  assert.equal(code, 0, stderr + stdout)
  assert.match(stdout + stderr, /Its install scripts were run, without network: native-node/)
  await greets('native-node')
  const file = readFileSync(path.join(cordon.home, 'mcp', 'native-node.toml'), 'utf8')
  assert.match(file, /scripts = "allowed"/)
  const shown = await cordon.run(['mcp', 'show', 'native-node'])
  assert.match(shown.stdout, /scripts +its install scripts were run, in a sandbox without network/)
})

test('looking at a newer version runs none of its install scripts, and names those that a yes would run', async () => {
  const build = { scripts: { postinstall: `node -e "fs.writeFileSync('part.cjs', '')"` } }
  const use = "require('./part.cjs'); require('helper-node/part.cjs')"
  const dependencies = { 'helper-node': '1.0.0' }
  registry.add({ name: 'helper-node', description: build, files: {} })
  const newer = tinyNpmPackage('3.1.0', tinyNpmServer('Greets', use))
  const description = { bin: 'index.cjs', dependencies, ...build }
  registry.add({ ...newer, name: 'native-node', description })
  const packages = (): readonly string[] => readdirSync(path.join(cordon.home, 'packages'))
  const { code, stdout, stderr } = await cordon.run(['mcp', 'upgrade', 'native-node', '--check'])
  assert.equal(code, 0, stderr)
  assert.match(stdout, /^install scripts: new: helper-node$/m)
  assert.match(stdout, /^⚠️ install scripts that run when you take it.*: helper-node, native-node$/m)
  assert.match(stdout, /^tools: not known .*its install scripts have not run yet\)$/m)
  assert.ok(!packages().includes('native-node@3.1.0+scripts'))
  assert.ok(!existsSync(path.join(cordon.home, BUILT)), 'a script ran')
  const taken = await cordon.run(['mcp', 'upgrade', 'native-node', '--yes'])
  assert.equal(taken.code, 0, taken.stderr)
  assert.equal(await versionOf('native-node'), '3.1.0+scripts')
  await greets('native-node')
})

test('a server without a package, and one that does not exist, are told so in a sentence', async () => {
  await cordon.run(['mcp', 'add', 'plain', '--', 'node', '/srv/none.js'])
  const plain = await cordon.run(['mcp', 'upgrade', 'plain'])
  assert.equal(plain.code, 2)
  assert.match(plain.stderr, /Cannot upgrade "plain": it runs no installed package/)
  const none = await cordon.run(['mcp', 'upgrade', 'nobody'])
  assert.equal(none.code, 2)
  assert.match(none.stderr, /nobody/)
  const all = await cordon.run(['mcp', 'upgrade'])
  assert.equal(all.code, 2)
  assert.match(all.stderr, /each has differences of its own/)
})
