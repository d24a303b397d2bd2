/** Every attempt to break out, by real processes, as root and as an ordinary user, against Cordon and a naive call. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { ATTEMPTS, type EscapeReport, type Kind } from './attempts.ts'

const program = fileURLToPath(new URL('outside.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const kinds: readonly Kind[] = isRoot ? ['root', 'user'] : ['user']

/** A network namespace of the test's own around everything: no packet of any attempt can leave it. */
async function run(kind: Kind): Promise<EscapeReport> {
  const [command = '', ...args] = [...enter(), process.execPath, program, ...become(kind)]
  const { stdout } = await promisify(execFile)(command, args, {
    timeout: 120_000,
    maxBuffer: 2 ** 20,
  })
  return JSON.parse(stdout) as EscapeReport
}

function enter(): readonly string[] {
  return isRoot
    ? ['unshare', '--net', '--']
    : ['unshare', '--user', '--map-root-user', '--net', '--']
}

function become(kind: Kind): readonly string[] {
  if (!isRoot)
    return [
      'unshare',
      '--user',
      `--map-user=${process.getuid?.()}`,
      `--map-group=${process.getgid?.()}`,
      '--',
    ]
  return kind === 'root'
    ? []
    : ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--']
}

for (const kind of kinds) {
  test(`SANDBOX-1: nothing gets out of a sandbox when Cordon runs as ${kind}`, async (t) => {
    const { ours, naive } = await run(kind)
    const all = Object.entries(ATTEMPTS)
    for (const [number, { title, naive: expected }] of all) {
      await t.test(`${number} ${title}`, () => {
        const [here, there] = [ours[Number(number)], naive[Number(number)]]
        assert.equal(here?.got, undefined, 'it got through the sandbox')
        assert.ok(here?.stopped, 'it was not attempted')
        const bites = there?.got === undefined ? 'blocked' : 'exposed'
        assert.equal(bites, expected[kind], `naive: ${JSON.stringify(there)}`)
      })
    }
    const blocked = all.filter(([number]) => ours[Number(number)]?.stopped !== undefined)
    console.log(`blocked ${blocked.length}/${all.length} (${kind})`)
  })
}
