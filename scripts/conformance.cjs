/**
 * `npm run conformance [-- client|gateway [SCENARIO…]]`: runs the official MCP conformance suite against Cordon, prints a
 * table, and exits 1 below the bar. Without a word: against both sides.
 */
'use strict'
const path = require('node:path')
const { installApart } = require('./install-apart.cjs')
const prepare = require('./prepare.cjs')

/** Compile cache, shared with the tests: every scenario starts Cordon anew. */
const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')
const RUNS = { client: 'test/conformance/run.ts', gateway: 'test/conformance/run-gateway.ts' }

void prepare.main(async () => {
  const [asked, ...scenarios] = process.argv.slice(2)
  const sides = asked === undefined ? Object.keys(RUNS) : [asked]
  if (!sides.every((side) => side in RUNS)) {
    prepare.say('error: Cannot run that: say `npm run conformance -- client|gateway [SCENARIO…]`')
    return 2
  }
  await prepare.ensureDependencies()
  const installed = await installApart('conformance')
  const cli = path.join('@modelcontextprotocol', 'conformance', 'dist', 'index.js')
  const entry = path.join(installed, 'node_modules', cli)
  const codes = []
  for (const side of sides) {
    const args = [RUNS[side], entry, side, ...scenarios]
    codes.push(await prepare.runNode(args, { NODE_COMPILE_CACHE: compiled }))
  }
  return Math.max(...codes)
})
