/**
 * Runs as root of the test's namespaces: starts the stand-in for the outside world, prepares the bait that needs root,
 * then becomes the tested user and makes every attempt.
 */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, copyFileSync, mkdirSync, openSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Prepared } from './canaries.ts'
import { openStandIn } from './stand-in.ts'

/** High enough that Node does not close the descriptor in the child. */
const LEAKED_DESCRIPTOR = 40

/** A folder to work in, and the command prefix that runs a program as the tested user; empty: no change of user. */
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

/** Set: the attempts are made from inside an image of this machine's programs. */
const image =
  process.env['FROM_IMAGE'] === undefined ? undefined : makeImage(path.join(folder, 'rootfs'))

const program = fileURLToPath(new URL('attempt.child.ts', import.meta.url))
const words = [...become, process.execPath, '--expose-gc', program, JSON.stringify(prepared)]
const [command = '', ...args] = words
const stdio = Array.from({ length: LEAKED_DESCRIPTOR }, (_, index) =>
  index < 3 ? 'inherit' : 'ignore',
)
const child = spawn(command, args, {
  detached: true,
  stdio: [...(stdio as 'inherit'[]), openSync(prepared.leakedFile, 'w')],
  env: {
    PATH: process.env['PATH'],
    HOST_SECRET: prepared.hostSecret,
    SWAPS: process.env['SWAPS'],
    ONLY: process.env['ONLY'],
    CONTROL: process.env['CONTROL'],
    ...(image !== undefined && { IMAGE_ROOT: image }),
  },
})
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => process.kill(-(child.pid ?? 0), 'SIGKILL')) // the whole process group
}
process.exitCode = await new Promise<number>((resolve) =>
  child.once('exit', (code) => resolve(code ?? 1)),
)

/** Laid out as an install leaves it; /usr is mounted there instead of a copy of some gigabytes. */
function makeImage(root: string): string {
  for (const name of ['usr', 'etc', 'home/mcp', 'opt/cordon', 'image-node']) {
    mkdirSync(path.join(root, name), { recursive: true })
  }
  for (const name of ['passwd', 'group', 'hosts', 'resolv.conf']) {
    writeFileSync(path.join(root, 'etc', name), '')
  }
  for (const name of ['bin', 'sbin', 'lib', 'lib64'])
    symlinkSync(`usr/${name}`, path.join(root, name))
  copyFileSync(process.execPath, path.join(root, 'image-node/node'))
  execFileSync('mount', ['--bind', '/usr', path.join(root, 'usr')])
  return root
}
