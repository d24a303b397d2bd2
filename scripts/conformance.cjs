/**
 * `npm run conformance [-- client|gateway|checks [SCENARIO…]]`: runs the official MCP conformance suite against Cordon as
 * a client and as a gateway, and the checks of `test/conformance-gateway` against its gateway; prints tables, and exits 1
 * below the bar. Without a word: all three.
 */
'use strict'
const path = require('node:path')
const { installApart } = require('./install-apart.cjs')
const prepare = require('./prepare.cjs')

/** Compile cache, shared with the tests: every scenario starts Cordon anew. */
const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')
const CHECKS = ['test/conformance-gateway/run.ts', 'cordon', 'cordon-stdio']

/** By side, the program that runs it: `suite` is the official one. */
const RUNS = {
  client: (suite, scenarios) => ['test/conformance/run.ts', suite, 'client', ...scenarios],
  gateway: (suite, scenarios) => [
    'test/conformance/run-gateway.ts',
    suite,
    'gateway',
    ...scenarios,
  ],
  checks: (_suite, scenarios) => [...CHECKS, ...scenarios.map((check) => `--only=${check}`)],
}

void prepare.main(async () => {
  const [asked, ...scenarios] = process.argv.slice(2)
  const sides = asked === undefined ? Object.keys(RUNS) : [asked]
  if (!sides.every((side) => side in RUNS)) {
    prepare.say(
      'error: Cannot run that: say `npm run conformance -- client|gateway|checks [SCENARIO…]`',
    )
    return 2
  }
  await prepare.ensureDependencies()
  const installed = await installApart('conformance')
  const cli = path.join('@modelcontextprotocol', 'conformance', 'dist', 'index.js')
  const entry = path.join(installed, 'node_modules', cli)
  const codes = []
  for (const side of sides) {
    const args = RUNS[side](entry, scenarios)
    codes.push(await prepare.runNode(args, { NODE_COMPILE_CACHE: compiled }))
  }
  return Math.max(...codes)
})
