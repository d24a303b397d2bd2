/** Starts the program in its arguments under a warden, then blocks its event loop for ever. */
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { sandboxUser } from '../../src/sandbox/launch/unprivileged-user.ts'
import { createWarden } from '../../src/sandbox/process/warden.ts'

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { detached: true, stdio: 'ignore', ...sandboxUser() })
createWarden().watch(child)
writeSync(1, 'watched')
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
