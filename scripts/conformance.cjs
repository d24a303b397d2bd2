/**
 * `npm run conformance -- client [SCENARIO…]`: runs the official MCP conformance suite against Cordon, prints a table,
 * and exits 1 below the bar. The suite has 120 packages of its own, so it is installed by its own lockfile, apart
 * from Cordon's dependencies, at the first run.
 */
'use strict'
const { cpSync, existsSync, mkdirSync, readFileSync } = require('node:fs')
const path = require('node:path')
const prepare = require('./prepare.cjs')

const suite = path.join(prepare.root, 'test', 'conformance', 'suite')
const installed = path.join(prepare.root, 'node_modules', '.cache', 'cordon-conformance')
/** Compile cache, shared with the tests: every scenario starts Cordon anew. */
const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')
const FILES = ['package.json', 'package-lock.json']

async function ensureSuite() {
  const read = (folder) => readFileSync(path.join(folder, 'package-lock.json'), 'utf8')
  const hasLock = existsSync(path.join(installed, 'node_modules', '.package-lock.json'))
  if (hasLock && read(installed) === read(suite)) return
  mkdirSync(installed, { recursive: true })
  for (const file of [...FILES, '.npmrc']) {
    const from = file === '.npmrc' ? prepare.root : suite
    cpSync(path.join(from, file), path.join(installed, file))
  }
  const npm = prepare.npmCommand()
  const args = [...npm.args, 'ci', '--ignore-scripts', '--prefix', installed]
  await prepare.step('Installing the conformance suite', npm.command, args)
}

void prepare.main(async () => {
  await prepare.ensureDependencies()
  await ensureSuite()
  const cli = path.join('@modelcontextprotocol', 'conformance', 'dist', 'index.js')
  const entry = path.join(installed, 'node_modules', cli)
  const args = ['test/conformance/run.ts', entry, ...process.argv.slice(2)]
  return prepare.runNode(args, { NODE_COMPILE_CACHE: compiled })
})
