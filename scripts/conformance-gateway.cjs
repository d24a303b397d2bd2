/**
 * `npm run conformance:gateway -- [options] [GATEWAY… | URL | -- COMMAND ARG…]`: checks any MCP gateway, prints a table,
 * and exits 1 if a check fails that its baseline does not explain.
 */
'use strict'
const path = require('node:path')
const { installApart } = require('./install-apart.cjs')
const prepare = require('./prepare.cjs')

const compiled = path.join(prepare.root, 'node_modules', '.cache', 'cordon-compiled')
const PEERS = ['all', 'supergateway', 'mcp-proxy', 'mcp-hub', 'mcporter']

void prepare.main(async () => {
  const args = process.argv.slice(2)
  await prepare.ensureDependencies()
  if (args.some((word) => PEERS.includes(word))) await installApart('gateway-peers')
  const run = ['test/conformance-gateway/run.ts', ...args]
  return prepare.runNode(run, { NODE_COMPILE_CACHE: compiled })
})
