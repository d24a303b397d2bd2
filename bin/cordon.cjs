#!/usr/bin/env node
/**
 * Starts Cordon on a Node that is new enough, whichever Node was called. Plain CommonJS, so that an old Node can read
 * it. `--version` is answered here, without loading the program.
 */
'use strict'
const { existsSync } = require('node:fs')
const path = require('node:path')

const root = path.join(__dirname, '..')
const built = path.join(root, 'dist', 'main.js')
const entry = existsSync(built) ? built : path.join(root, 'src', 'main.ts')
const args = process.argv.slice(2)

if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
  process.stdout.write(`${require('../package.json').version}\n`)
} else {
  launch()
}

function launch() {
  const holdsSecrets = ['up', 'restore', '--no-daemon'].some((word) => args.includes(word))
  const flags = holdsSecrets ? require('./kernel-flags.cjs').KERNEL_FLAGS : []
  const { findNode, isNewEnough } = require('./find-node.cjs')
  if (!isNewEnough(process.versions.node)) {
    relaunch(findNode(root), [...flags, entry, ...args])
  } else if (!flags.every((flag) => process.execArgv.includes(flag))) {
    process.execve(process.execPath, [process.execPath, ...flags, entry, ...args], process.env)
  } else {
    // `npx` and `npm link` leave the launcher in argv[1]; Cordon finds its own entry there.
    process.argv[1] = entry
    void import(entry)
  }
}

function relaunch(node, argv) {
  if (node === undefined) {
    process.stderr.write(
      `cordon: error: Cannot start on Node ${process.versions.node}\n` +
        'cordon: hint: Install Node 24.15 or newer, or run `npm ci` in the folder of Cordon to bring it along\n',
    )
    process.exitCode = 5
    return
  }
  const { passSignals } = require('./find-node.cjs')
  const child = require('node:child_process').spawn(node, argv, { stdio: 'inherit' })
  passSignals(child)
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + require('node:os').constants.signals[signal]
  })
}
