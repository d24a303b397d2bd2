/**
 * Images as root and as an ordinary user, from the pull to an answer of the real everything server; and `kill -9` of
 * Cordon while it pulls and while the server runs, after which nothing is left.
 */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until } from '../../src/sandbox/test-sandbox.ts'
import { openImageRegistry } from '../fixtures/image-registry.ts'
import { openImageHouse } from './image-house.ts'

const program = fileURLToPath(new URL('image-session.child.ts', import.meta.url))
const isRoot = process.getuid?.() === 0
const BECOME = {
  root: [],
  user: ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', '--'],
} as const

interface Said {
  readonly home?: string
  readonly tools?: number
  readonly answer?: string
  readonly pid?: number
  readonly pulling?: boolean
}

/** Starts the program, and waits for each line that holds the wanted field. */
function start(kind: 'root' | 'user', how: string) {
  const become = isRoot ? BECOME[kind] : []
  const [command = '', ...args] = [...become, process.execPath, program, how]
  const child: ChildProcess = spawn(command, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const said: Said[] = []
  if (child.stdout) {
    createInterface({ input: child.stdout }).on('line', (line) =>
      said.push(JSON.parse(line) as Said),
    )
  }
  const ended = once(child, 'exit')
  const field = async <K extends keyof Said>(key: K): Promise<NonNullable<Said[K]>> => {
    await until(() => said.some((one) => one[key] !== undefined) || child.exitCode !== null)
    const found = said.find((one) => one[key] !== undefined)?.[key]
    assert.ok(found, 'it ended before it said so')
    return found
  }
  return { child, ended, field }
}

for (const kind of ['root', 'user'] as const) {
  const skip = kind === 'root' && !isRoot ? 'these tests do not run as root' : false
  test(`an image is pulled, lists its tools and answers as ${kind}`, { skip }, async () => {
    const { ended, field } = start(kind, '')
    assert.ok((await field('tools')) > 5)
    assert.match(await field('answer'), /Echo: inside/)
    assert.deepEqual(await ended, [0, null])
    assert.ok(!existsSync(await field('home')))
  })

  test(`kill -9 of Cordon ends the server in its image (${kind})`, { skip }, async () => {
    const { child, ended, field } = start(kind, 'hold')
    const pid = await field('pid')
    assert.ok(existsSync(`/proc/${pid}`))
    child.kill('SIGKILL')
    await ended
    await until(() => !existsSync(`/proc/${pid}`))
    rmSync(await field('home'), { recursive: true })
  })

  test(`kill -9 of Cordon while it pulls leaves nothing that is used (${kind})`, {
    skip,
  }, async () => {
    const { child, ended, field } = start(kind, 'install')
    await field('pulling')
    const home = await field('home')
    const packages = path.join(home, 'packages')
    child.kill('SIGKILL')
    await ended
    assert.match(readdirSync(packages).join(), /^\.part-/)
    await using registry = await openImageRegistry()
    await using house = await openImageHouse(registry, { home })
    assert.deepEqual(house.list(), [])
    rmSync(home, { recursive: true })
  })
}
