/**
 * Runs as root of a mount namespace made for the test: shares a folder, has servers started that may read it, mounts
 * something below it, and prints what each server sees there then.
 */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../../fixtures/until.ts'
import { processesWith, read } from './processes.ts'

const [kind = '', folder = ''] = process.argv.slice(2)
const host = fileURLToPath(new URL('contained.child.ts', import.meta.url))

execFileSync('mount', ['--bind', folder, folder])
execFileSync('mount', ['--make-shared', folder])
const seen: Record<string, string> = {}
for (const name of ['cordon', 'plain'] as const) {
  seen[name === 'cordon' ? 'cordon' : 'naive'] = await lookInside(name)
}
process.stdout.write(JSON.stringify(seen))

/** The server waits for a line on a pipe in the folder, which is written once the mount is there. */
async function lookInside(name: 'cordon' | 'plain'): Promise<string> {
  const shown = path.join(folder, name)
  const point = path.join(shown, 'point')
  mkdirSync(point, { recursive: true })
  const mark = `${shown}/go`
  const script = `until [ -e '${mark}' ]; do sleep 0.02; done; cat '${point}/file' || echo nothing`
  const home = path.join(folder, `home-${name}`)
  const job = path.join(folder, `${name}.json`)
  const setting = { folder, home, packageFolder: shown, token: '', resolverFile: '/dev/null' }
  const words = { command: 'sh', args: ['-c', script], shown: [shown] }
  writeFileSync(job, JSON.stringify({ name, setting, ...words }))
  const [command, ...args] = [...become(), process.execPath, host, job]
  const child = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  await until(() => processesWith(`until [ -e '${mark}'`).length > 0)
  execFileSync('mount', ['-t', 'tmpfs', 'none', point])
  writeFileSync(path.join(point, 'file'), 'mounted later')
  writeFileSync(mark, '')
  return (await read(child.stdout)).trim()
}

function become(): readonly string[] {
  if (kind === 'root') return []
  return canDrop() ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'] : []
}

/** In a user namespace with a single user there is nobody else to become. */
function canDrop(): boolean {
  try {
    execFileSync('setpriv', ['--reuid=65534', '--regid=65534', '--clear-groups', '--', 'true'], {
      stdio: 'ignore',
    })
    return true
  } catch {
    return false
  }
}
