/**
 * The root of the namespaces made for one run: raises what stands for the outside, prepares what only root can, then
 * becomes the user in question and makes every attempt.
 */
import { spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, openSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Prepared } from './canaries.ts'
import { openStandIn } from './stand-in.ts'

/** High enough that Node does not close it on the way. */
const LEAKED_DESCRIPTOR = 40

/** A folder to work in, and the words that make a program run as the user in question; none: as it is. */
const [folder = '', ...become] = process.argv.slice(2)
using _standIn = await openStandIn(folder)

const tools = path.join(folder, 'tools')
mkdirSync(tools)
const prepared: Prepared = {
  hostSecret: 'secret-of-the-host-5f2d',
  leakedFile: path.join(folder, 'leaked'),
  setUserIdFile: path.join(tools, 'id'),
}
copyFileSync('/usr/bin/id', prepared.setUserIdFile)
chmodSync(prepared.setUserIdFile, 0o4755)

const program = fileURLToPath(new URL('attempt.child.ts', import.meta.url))
const words = [...become, process.execPath, '--expose-gc', program, JSON.stringify(prepared)]
const [command = '', ...args] = words
const stdio = Array.from({ length: LEAKED_DESCRIPTOR }, (_, index) =>
  index < 3 ? 'inherit' : 'ignore',
)
const child = spawn(command, args, {
  detached: true,
  stdio: [...(stdio as 'inherit'[]), openSync(prepared.leakedFile, 'w')],
  env: { PATH: process.env['PATH'], HOST_SECRET: prepared.hostSecret },
})
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.kill(-(child.pid ?? 0), 'SIGKILL')) // with all it has started
}
process.exitCode = await new Promise<number>((resolve) =>
  child.once('exit', (code) => resolve(code ?? 1)),
)
