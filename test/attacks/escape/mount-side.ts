/** Attempts to have another folder or file mounted or lent than the one that was judged, and on the first process. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CordonError } from '../../../src/kernel/error.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { readSecretFile } from '../../../src/vault/secret-file.ts'
import { until } from '../../fixtures/until.ts'
import { read } from './processes.ts'
import type { Stage } from './stage.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

export const MOUNT_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  61: async (stage) => ({ 'a swap': await swapRace(stage) }),
  62: async (stage) => ({ 'a link to a public folder': await ownLink(stage) }),
  63: async (stage) => ({ 'a link to another key': await lentLink(stage) }),
  64: async (stage) => ({ processes: await limitsOfInit(stage) }),
}

const REFUSALS = new Set(['sandbox.path', 'sandbox.start'])
const ROUNDS = Number(process.env['SWAPS'])
/** `renameat2` with RENAME_EXCHANGE: the name is a folder or a link at every moment, and never missing. */
const SWAPPER = `my ($call, $x, $y) = @ARGV; $| = 1; print "on";
  while (getppid() == $ENV{OWNER}) { syscall($call + 0, -100, $x, -100, $y, 2) == 0 or die $! }`

/** Another server's part, played by the host: it swaps the folder for a link to the keys without a pause. */
async function swapRace({ name, contender, canaries }: Stage): Promise<Verdict> {
  const folder = ownFolder(canaries.folder, `swap-${name}`)
  const [wanted, link] = [path.join(folder, 'work'), path.join(folder, 'other')]
  mkdirSync(wanted)
  symlinkSync(path.join(canaries.home, '.ssh'), link)
  const call = process.arch === 'arm64' ? '276' : '316'
  const swapper = spawn('perl', ['-e', SWAPPER, call, wanted, link], {
    env: { OWNER: String(process.pid) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(swapper.stdout, 'data')
    let starts = 0
    for (let round = 0; round < ROUNDS || starts === 0; round += 1) {
      const text = await shownBy(contender, wanted)
      if (text?.includes('PRIVATE') === true) return got(`a private key in round ${round + 1}`)
      if (text !== undefined) starts += 1
      if (name !== 'cordon' && round > 1000) break
    }
    return stopped('never another folder')
  } finally {
    swapper.kill('SIGKILL')
  }
}

/** The listing and the key in the folder, as the program sees them; undefined if the start was refused for the path. */
async function shownBy(contender: Stage['contender'], folder: string): Promise<string | undefined> {
  try {
    const script = `ls '${folder}' /mnt; cat '${folder}/id_ed25519' /mnt/id_ed25519 2>&1; true`
    const running = await contender.start('sh', ['-c', script], [folder])
    return await read(running.stdout)
  } catch (error) {
    // A source that is gone while bubblewrap mounts it ends the start as well.
    if (error instanceof CordonError && REFUSALS.has(error.code)) return undefined
    throw error
  }
}

/** The link leads to a folder that is not private, so only its place gives it away. */
async function ownLink({ name, contender, canaries }: Stage): Promise<Verdict> {
  const folder = ownFolder(canaries.folder, `link-${name}`)
  const elsewhere = ownFolder(canaries.folder, `elsewhere-${name}`)
  writeFileSync(path.join(elsewhere, 'id_ed25519'), 'PRIVATE WORDS')
  const writer = await contender.start('true', [], [], [folder])
  await writer.ended
  symlinkSync(elsewhere, path.join(folder, 'planted'))
  const text = await shownBy(contender, path.join(folder, 'planted'))
  if (text === undefined) return stopped('sandbox.path')
  if (!text.includes('PRIVATE')) throw new Error(`neither shown nor refused: ${text}`)
  return got(text)
}

async function lentLink({ name, canaries }: Stage): Promise<Verdict> {
  const folder = ownFolder(canaries.folder, `lent-${name}`)
  const file = path.join(folder, 'token')
  symlinkSync(path.join(canaries.home, '.ssh', 'id_ed25519'), file)
  if (name !== 'cordon') return got(readFileSync(file, 'utf8'))
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const cordonHome = path.join(canaries.home, '.cordon')
  const places = { homeFolder: canaries.home, vaultFolder: `${cordonHome}/vault`, cordonHome, log }
  try {
    const value = await readSecretFile(file, {
      ...places,
      pinPath,
      writableFolders: () => [folder],
    })
    return got(value.toString())
  } catch (error) {
    if (error instanceof CordonError) return stopped(error.code)
    throw error
  }
}

async function limitsOfInit({ contender, mark }: Stage): Promise<Verdict> {
  const running = await contender.start('sleep', [mark])
  await until(() => running.pid !== undefined)
  const text = readFileSync(`/proc/${running.pid}/limits`, 'utf8')
  await running.stop()
  const most = /^Max processes\s+(\S+)/m.exec(text)?.[1]
  return most === '128' ? stopped('limited') : got(`${most} processes`)
}

function ownFolder(parent: string, name: string): string {
  const folder = path.join(parent, name)
  mkdirSync(folder)
  chmodSync(folder, 0o777) // the servers of root are not root
  return folder
}
