/**
 * `leaks.child.ts root|user ROUNDS SEED`: makes mount and network namespaces of its own, runs the rounds there, and
 * prints one report. With 0 rounds, one trace of every kind is left on purpose instead.
 */
import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const NOBODY = 65_534
const uid = process.getuid?.() ?? 0
const gid = process.getgid?.() ?? 0
const [kind, ...rest] = process.argv.slice(2)
const inside = fileURLToPath(new URL('inside.child.ts', import.meta.url))

const namespaces = ['--mount', '--net', '--propagation', 'private', '--']
const enter =
  uid === 0 ? ['unshare', ...namespaces] : ['unshare', '--user', '--map-root-user', ...namespaces]
const [command = '', ...args] = [...enter, process.execPath, inside, ...rest, ...identity()]
const child = spawn(command, args, { stdio: ['ignore', 'inherit', 'inherit'] })
process.exitCode = await new Promise<number>((resolve) => {
  child.once('exit', (code) => resolve(code ?? 1))
})

/** The user id that owns the home, as seen from inside, and the command prefix that runs a program as that user. */
function identity(): readonly string[] {
  if (uid !== 0) {
    const again = ['unshare', '--user', `--map-user=${uid}`, `--map-group=${gid}`, '--']
    return ['0', ...again]
  }
  if (kind === 'root') return ['0']
  const drop = ['setpriv', `--reuid=${NOBODY}`, `--regid=${NOBODY}`, '--clear-groups', '--']
  return [String(NOBODY), ...drop]
}
