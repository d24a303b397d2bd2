/**
 * Packages that a measurement or a suite needs and Cordon does not: installed by a lockfile of their own, apart from
 * Cordon's dependencies, at the first run.
 */
'use strict'
const { cpSync, existsSync, mkdirSync, readFileSync } = require('node:fs')
const path = require('node:path')
const prepare = require('./prepare.cjs')

const FILES = ['package.json', 'package-lock.json']

/** By name: the folder with the lockfile, and what is said while it is installed. */
const SETS = {
  conformance: ['test/conformance/suite', 'the conformance suite'],
  'gateway-peers': ['bench/gateway/peers', 'other gateways'],
}

/** Returns the folder whose `node_modules` has them. */
async function installApart(name) {
  const [source, label] = SETS[name]
  const from = path.join(prepare.root, source)
  const installed = path.join(prepare.root, 'node_modules', '.cache', `cordon-${name}`)
  const read = (folder) => readFileSync(path.join(folder, 'package-lock.json'), 'utf8')
  const hasLock = existsSync(path.join(installed, 'node_modules', '.package-lock.json'))
  if (hasLock && read(installed) === read(from)) return installed
  mkdirSync(installed, { recursive: true })
  for (const file of FILES) cpSync(path.join(from, file), path.join(installed, file))
  cpSync(path.join(prepare.root, '.npmrc'), path.join(installed, '.npmrc'))
  const npm = prepare.npmCommand()
  const args = [...npm.args, 'ci', '--ignore-scripts', '--prefix', installed]
  await prepare.step(`Installing ${label}`, npm.command, args)
  return installed
}

module.exports = { installApart }
