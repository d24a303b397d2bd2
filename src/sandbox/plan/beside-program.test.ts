import assert from 'node:assert/strict'
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { openTestSandbox } from '../test-sandbox.ts'
import { besideProgram } from './beside-program.ts'

const { folder, run } = await openTestSandbox()
const packages = path.join(folder, 'home', '.cordon', 'packages')
const modules = path.join(packages, 'it@1.0.0', 'node_modules')
const own = path.join(modules, '@acme', 'it')
const script = path.join(own, 'dist', 'main.js')
mkdirSync(path.dirname(script), { recursive: true })
mkdirSync(path.join(modules, 'dep'))
writeFileSync(path.join(own, 'package.json'), '{"name":"it"}')
writeFileSync(path.join(modules, 'dep', 'index.js'), 'module.exports = 42')

test('a server makes files beside its own, which change nothing that is installed', async () => {
  writeFileSync(
    script,
    `const { mkdirSync, writeFileSync } = require('node:fs')
    const tried = (what) => { try { what(); return 'done' } catch ({ code }) { return code } }
    console.log([
      require('dep'),
      tried(() => mkdirSync(__dirname + '/../data/deep', { recursive: true })),
      tried(() => writeFileSync(__dirname + '/memory.json', '{}')),
      tried(() => writeFileSync(__filename, '')),
      tried(() => writeFileSync(__dirname + '/../package.json', '')),
      tried(() => writeFileSync(__dirname + '/../../../dep/more.js', '')),
    ].join())`,
  )
  const text = readFileSync(script, 'utf8')
  assert.equal(await run('node', [script]), '42,done,done,EROFS,EROFS,EROFS\n')
  assert.deepEqual(readdirSync(own).sort(), ['dist', 'package.json'])
  assert.deepEqual(readdirSync(path.dirname(script)), ['main.js'])
  assert.equal(readFileSync(script, 'utf8'), text)
})

test('besideProgram() leaves every other program and a folder full of files as they are', () => {
  assert.deepEqual(besideProgram('/srv/app/node_modules/it/main.js', packages), [])
  assert.deepEqual(besideProgram(path.join(packages, 'http@1', 'server.mjs'), packages), [])
  assert.equal(besideProgram(script, packages).length, 2)
  for (let at = 0; at < 40; at += 1) writeFileSync(path.join(own, 'dist', `${at}.js`), '')
  assert.deepEqual(
    besideProgram(script, packages).map((one) => one.folder),
    [own],
  )
})
