/** Attempts that only the host can judge: processes left behind, memory taken, secrets shown. All are bounded. */
import { execFile, spawn } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { CordonError } from '../../../src/kernel/error.ts'
import { artistFor, readLines } from './artist.ts'
import { ENDS_SIDE } from './ends-side.ts'
import { MOUNT_SIDE } from './mount-side.ts'
import { MEMORY_SIDE } from './memory-side.ts'
import { RACE_SIDE } from './race-side.ts'
import { host, patienceMs, writeJob } from './separate-host.ts'
import type { Stage } from './stage.ts'
import { endAll, endAlone, mustAppear, processesWith, read } from './processes.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

const MB = 2 ** 20

const HEAP_BOMB =
  'const held = []; while (process.memoryUsage().heapUsed < 4e8) held.push(new Array(1e5).fill(1.5))'
const BUFFER_BOMB = 'const held = []; while (held.length < 40) held.push(Buffer.alloc(1e7, 1))'

export const HOST_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  7: async (stage) => ({ 'its secret': await secretInProcessList(stage) }),
  10: async (stage) => ({ 'a link to the keys': await plantedLink(stage) }),
  15: async (stage) => ({ 'a daemon': await daemonLeftBehind(stage) }),
  16: async (stage) => ({ 'kill -9': await killedHost(stage) }),
  18: async (stage) => ({ 'an array': await bomb(stage, HEAP_BOMB) }),
  19: async (stage) => ({ 'a buffer': await bomb(stage, BUFFER_BOMB) }),
  20: async (stage) => ({ 'a line without end': await flood(stage) }),
  21: async (stage) => ({ 'set-user-id': await setUserId(stage) }),
  22: (stage) => onTerminal(stage),
  ...ENDS_SIDE,
  ...MEMORY_SIDE,
  ...MOUNT_SIDE,
  ...RACE_SIDE,
}

async function secretInProcessList({ contender, canaries, mark }: Stage): Promise<Verdict> {
  const running = await contender.start('sleep', [mark])
  await mustAppear(mark)
  const found = processesWith(canaries.token).length > 0
  await running.stop()
  await endAll(mark)
  return found ? got('a command line with the secret') : stopped('in no command line')
}

async function plantedLink({ contender, canaries }: Stage): Promise<Verdict> {
  const link = canaries.plantedLink
  try {
    const script = `cat '${link}/id_ed25519' /mnt/id_ed25519`
    const running = await contender.start('sh', ['-c', script], [link])
    const text = await read(running.stdout)
    if (!text.includes('PRIVATE')) throw new Error('neither shown nor refused')
    return got(text)
  } catch (error) {
    if (error instanceof CordonError) return stopped(error.code)
    throw error
  }
}

async function daemonLeftBehind({ name, contender, mark }: Stage): Promise<Verdict> {
  const sleeping = `sleep\0${mark}`
  const script = `setsid sh -c 'setsid sleep ${mark} &'; exec cat`
  const running = await contender.start('sh', ['-c', script])
  await mustAppear(sleeping)
  await running.stop()
  const gone = await endAlone(sleeping, patienceMs(name))
  await endAll(mark)
  return gone ? stopped('gone with its server') : got('a daemon that goes on')
}

/** Kills a separate host process with SIGKILL and watches whether its contained program dies too. */
async function killedHost({ name, canaries, mark }: Stage): Promise<Verdict> {
  const sleeping = `sleep\0${mark}`
  const job = writeJob(canaries, { name, setting: canaries, command: 'sleep', args: [mark] })
  const child = spawn(process.execPath, [host, job], { stdio: 'ignore' })
  await mustAppear(sleeping)
  child.kill('SIGKILL')
  const gone = await endAlone(sleeping, patienceMs(name))
  await endAll(sleeping)
  return gone ? stopped('gone with Cordon') : got('a life after Cordon')
}

async function bomb({ contender }: Stage, script: string): Promise<Verdict> {
  const flags = ['--max-old-space-size=2048', '-e', `${script}; console.log('ALL OF IT')`]
  const running = await contender.start('node', flags)
  const text = await read(running.stdout)
  const end = await running.ended
  if (text.includes('ALL OF IT')) return got('400 MB')
  if (end.kind === 'memory') return stopped('ended as memory')
  throw new Error(`ended as ${JSON.stringify(end)}`)
}

const TOO_MUCH = 64 * MB

/** Judges by the peak of memory that we held, measured after a garbage collection. */
async function flood({ contender }: Stage): Promise<Verdict> {
  globalThis.gc?.()
  const before = heldBytes()
  let most = 0
  const look = (): void => {
    if (most > TOO_MUCH || heldBytes() - before <= TOO_MUCH) return
    // Another thread frees the buffers that a collection found, and counts them until then; the next one waits for it.
    for (let time = 0; time < 2; time += 1) globalThis.gc?.()
    most = Math.max(most, heldBytes() - before)
  }
  const watching = setInterval(look, 20)
  const running = await contender.start('cat', ['/dev/zero'])
  const why = await contender.listen(running)
  clearInterval(watching)
  await running.stop()
  running.stdout.destroy()
  return most > TOO_MUCH ? got(`${Math.round(most / MB)} MB of our memory`) : stopped(why)
}

function heldBytes(): number {
  const { arrayBuffers, heapUsed } = process.memoryUsage()
  return arrayBuffers + heapUsed
}

/** Runs a set-user-id copy of `id` that belongs to root and prints the effective user id. */
async function setUserId({ contender, canaries }: Stage): Promise<Verdict> {
  const { setUserIdFile } = canaries
  const script = `'${setUserIdFile}' -u; grep NoNewPrivs /proc/self/status`
  const running = await contender.start('sh', ['-c', script], [path.dirname(setUserIdFile)])
  const [, uid, flag] = /^(\d+)\nNoNewPrivs:\t(\d)$/m.exec(await read(running.stdout)) ?? []
  if (uid === undefined) throw new Error('it did not run')
  return uid === '0' ? got('the rights of root') : stopped(`still ${uid}, NoNewPrivs ${flag}`)
}

/** A separate host process on a pseudo-terminal, as when the owner runs Cordon in a terminal. */
async function onTerminal({ name, canaries }: Stage): Promise<Verdicts> {
  const { command, args } = artistFor(canaries, { attempts: [22] })
  const job = writeJob(canaries, { name, setting: canaries, command, args })
  const line = `'${process.execPath}' '${host}' '${job}'`
  const running = promisify(execFile)('script', ['-qec', line, '/dev/null'], { timeout: 60_000 })
  running.child.stdin?.end()
  const { stdout } = await running
  return readLines(stdout)[22] ?? {}
}
