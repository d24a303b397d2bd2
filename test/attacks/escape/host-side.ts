/** Attempts that can only be judged from outside: what a process leaves, takes or shows on the host. All are bounded. */
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { Outcome } from './attempts.ts'
import type { Canaries } from './canaries.ts'
import type { Contender } from './contenders.ts'

const MB = 2 ** 20

export function hostSideAttempts(
  contender: Contender,
  canaries: Canaries,
  mark: string,
): Readonly<Record<number, () => Promise<Outcome>>> {
  return {
    7: () => secretInProcessList(contender, canaries.token, `60.${mark}7`),
    10: () => plantedLink(contender, canaries.plantedLink),
    15: () => daemonLeftBehind(contender, `60.${mark}15`),
    18: () =>
      bomb(
        contender,
        'const held = []; while (process.memoryUsage().heapUsed < 4e8) held.push(new Array(1e5).fill(1.5))',
      ),
    19: () =>
      bomb(contender, 'const held = []; while (held.length < 40) held.push(Buffer.alloc(1e7, 1))'),
    20: () => flood(contender),
  }
}

async function secretInProcessList(
  contender: Contender,
  token: string,
  sleep: string,
): Promise<Outcome> {
  const running = await contender.start('sleep', [sleep])
  await until(() => processesWith(sleep).length > 0)
  const found = processesWith(token).length > 0
  await running.stop()
  await endAll(sleep)
  return found ? { got: 'a command line with the secret' } : { stopped: 'in no command line' }
}

async function plantedLink(contender: Contender, link: string): Promise<Outcome> {
  try {
    const running = await contender.show(link, 'sh', [
      '-c',
      `cat ${link}/id_ed25519 /mnt/id_ed25519`,
    ])
    const text = await read(running.stdout)
    return text.includes('PRIVATE') ? { got: text } : { stopped: 'nothing there' }
  } catch (error) {
    return { stopped: (error as Error).message }
  }
}

async function daemonLeftBehind(contender: Contender, sleep: string): Promise<Outcome> {
  const running = await contender.start('sh', [
    '-c',
    `setsid sh -c 'setsid sleep ${sleep} &'; exec cat`,
  ])
  await until(() => processesWith(`sleep\0${sleep}`).length > 0)
  await running.stop()
  await delay(200)
  const left = processesWith(`sleep\0${sleep}`).length
  await endAll(sleep)
  return left > 0 ? { got: 'a daemon that goes on' } : { stopped: 'ended with its server' }
}

async function bomb(contender: Contender, script: string): Promise<Outcome> {
  const flags = ['--max-old-space-size=2048', '-e', `${script}; console.log('ALL OF IT')`]
  const running = await contender.start('node', flags)
  const text = await read(running.stdout)
  const end = await running.ended
  if (text.includes('ALL OF IT')) return { got: '400 MB' }
  return end.kind === 'memory' ? { stopped: 'ended as memory' } : { got: JSON.stringify(end) }
}

/** Nobody reads: what is held back must be held back by the pipe, not in our memory. */
async function flood(contender: Contender): Promise<Outcome> {
  const before = process.memoryUsage().rss
  const running = await contender.start('cat', ['/dev/zero'])
  await delay(700)
  const grown = process.memoryUsage().rss - before
  await running.stop()
  running.stdout.destroy()
  return grown > 40 * MB
    ? { got: `${grown} bytes of our memory` }
    : { stopped: 'held back by the pipe' }
}

export async function read(stream: AsyncIterable<unknown>): Promise<string> {
  let text = ''
  for await (const chunk of stream) text += String(chunk)
  return text
}

export async function until(holds: () => boolean, withinMs = 5_000): Promise<boolean> {
  const deadline = performance.now() + withinMs
  while (!holds()) {
    if (performance.now() > deadline) return false
    await delay(10)
  }
  return true
}

/** Processes of the host whose command line has this in it, but for our own. */
export function processesWith(needle: string): readonly number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(needle)
      } catch {
        return false
      }
    })
    .map(Number)
}

export async function endAll(needle: string): Promise<void> {
  for (const pid of processesWith(needle)) {
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // already gone
    }
  }
  await until(() => processesWith(needle).length === 0)
}
