/** Starts what its arguments say under the eyes of a warden, and does nothing more, whatever happens. For tests. */
import { spawn } from 'node:child_process'
import { writeSync } from 'node:fs'
import { sandboxUser } from '../../src/sandbox/launch/unprivileged-user.ts'
import { createWarden } from '../../src/sandbox/process/warden.ts'

const [command = '', ...args] = process.argv.slice(2)
const child = spawn(command, args, { detached: true, stdio: 'ignore', ...sandboxUser() })
createWarden().watch(child)
writeSync(1, 'watched')
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)
