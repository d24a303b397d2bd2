/** The root of a network namespace made for one run: raises the stand-in for the outside, then becomes the user in question. */
import { spawn } from 'node:child_process'
import { mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openStandIn } from './stand-in.ts'

/** High enough that Node does not close it on the way. */
const LEAKED_DESCRIPTOR = 40

/** The words before the program that make it run as the user in question; none: as it is. */
const become = process.argv.slice(2)
using standIn = await openStandIn()
const folder = mkdtempSync(path.join(tmpdir(), 'cordon-leak-'))
const leakedFile = path.join(folder, 'leaked')
const program = fileURLToPath(new URL('attempt.child.ts', import.meta.url))
const [command, ...args] = [...become, process.execPath, program, leakedFile]
const stdio = Array.from({ length: LEAKED_DESCRIPTOR }, (_, index) =>
  index < 3 ? 'inherit' : 'ignore',
)
const child = spawn(command, args, {
  stdio: [...(stdio as 'inherit'[]), openSync(leakedFile, 'w')],
  env: { PATH: process.env['PATH'], HOST_SECRET: 'secret-of-the-host-5f2d' },
})
process.exitCode = await new Promise<number>((resolve) =>
  child.once('exit', (code) => resolve(code ?? 1)),
)
rmSync(folder, { recursive: true })
if (standIn.addresses.length === 0) process.exitCode = 1
