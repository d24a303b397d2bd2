/** `npm run check`: the laws of the house that a machine can judge. Runs them side by side and reports every one. */
'use strict'
const { spawn } = require('node:child_process')
const path = require('node:path')
const { findNode } = require('../bin/find-node.cjs')
const prepare = require('./prepare.cjs')

/** Stands for the Node that the program itself runs on. */
const NODE = 'node'

const CHECKS = [
  ['types and star', 'tsc', ['-b']],
  ['lint', 'oxlint', ['--type-aware', '--deny-warnings']],
  ['format', 'biome', ['format', '.']],
  ['dead code', 'knip', []],
  ['house laws', NODE, ['scripts/laws/run.ts']],
]

function run([name, tool, args]) {
  const started = Date.now()
  return new Promise((resolve) => {
    const bin = path.join(prepare.root, 'node_modules', '.bin', tool)
    const child = spawn(tool === NODE ? findNode(prepare.root) : bin, args, {
      cwd: prepare.root,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = []
    child.stdout.on('data', (chunk) => output.push(chunk))
    child.stderr.on('data', (chunk) => output.push(chunk))
    child.on('close', (code) => {
      const seconds = ((Date.now() - started) / 1000).toFixed(1)
      process.stdout.write(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)\n`)
      if (code !== 0) process.stdout.write(Buffer.concat(output))
      resolve(code === 0)
    })
  })
}

void prepare.main(async () => {
  await prepare.ensureDependencies()
  const results = await Promise.all(CHECKS.map(run))
  return results.every(Boolean) ? 0 : 1
})
