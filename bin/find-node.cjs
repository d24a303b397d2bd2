/** Finds the Node that Cordon runs on: the present one when it is new enough, else the one that npm installed. */
'use strict'
const { existsSync } = require('node:fs')
const path = require('node:path')

const OLDEST = [24, 15]

function isNewEnough(version) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** The path of a Node that is new enough, or undefined. */
function findNode(root) {
  if (isNewEnough(process.versions.node)) return process.execPath
  try {
    const manifest = require.resolve(`node-linux-${process.arch}/package.json`, { paths: [root] })
    const node = path.join(path.dirname(manifest), 'bin', 'node')
    return existsSync(node) ? node : undefined
  } catch {
    return undefined
  }
}

/** Forwards signals, so that the child decides when to end. A terminal's Ctrl-C reaches the child twice: no harm. */
function passSignals(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => child.kill(signal))
  }
}

module.exports = { findNode, isNewEnough, passSignals }
