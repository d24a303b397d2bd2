/** Attempts to win a race: a name is swapped for a link to the keys without a pause while the host uses that name. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CordonError } from '../../../src/kernel/error.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { readSecretFile } from '../../../src/vault/secret-file.ts'
import { ownFolder } from './own-folder.ts'
import { read } from './processes.ts'
import type { Stage } from './stage.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

const ROUNDS = Number(process.env['SWAPS'])
/** A naive contender loses in one of the first; a read is so quick that thousands may fall between two swaps. */
const MOST_NAIVE_ROUNDS = 200_000
/** Reads of a secret for each start of a server. */
const READS = 20
const REFUSALS = new Set(['sandbox.path', 'sandbox.start', 'sandbox.command', 'vault.file'])
/** `renameat2` with RENAME_EXCHANGE: the name is one or the other at every moment, and never missing. */
const SWAPPER = `my ($call, $x, $y) = @ARGV; $| = 1; print "on";
  while (getppid() == $ENV{OWNER}) { syscall($call + 0, -100, $x, -100, $y, 2) == 0 or die $! }`

export const RACE_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  61: async (stage) => ({ 'a folder': await folderRace(stage) }),
  90: async (stage) => ({ 'a program': await programRace(stage) }),
  91: async (stage) => ({ 'a secret': await secretRace(stage) }),
}

/** Another server's part, played by the host. `use` returns undefined where the host refused the name. */
async function race(
  { name }: Stage,
  [wanted, link]: readonly [string, string],
  use: () => Promise<string | undefined>,
): Promise<Verdict> {
  const call = process.arch === 'arm64' ? '276' : '316'
  const swapper = spawn('perl', ['-e', SWAPPER, call, wanted, link], {
    env: { OWNER: String(process.pid) },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  try {
    await once(swapper.stdout, 'data')
    let used = 0
    const rounds = name === 'cordon' ? ROUNDS : MOST_NAIVE_ROUNDS
    for (let round = 0; round < rounds || used === 0; round += 1) {
      const text = await use().catch(refusedOrThrow)
      if (text?.includes('PRIVATE') === true) return got(`a private key in round ${round + 1}`)
      if (text !== undefined) used += 1
    }
    return stopped('never another')
  } finally {
    swapper.kill('SIGKILL')
  }
}

/** A source that is gone while bubblewrap mounts it ends the start as well. */
function refusedOrThrow(error: unknown): undefined {
  if (error instanceof CordonError && REFUSALS.has(error.code)) return undefined
  throw error
}

async function folderRace(stage: Stage): Promise<Verdict> {
  const folder = ownFolder(stage.canaries.folder, `swap-${stage.name}`)
  const [wanted, link] = [path.join(folder, 'work'), path.join(folder, 'other')]
  mkdirSync(wanted)
  symlinkSync(path.join(stage.canaries.home, '.ssh'), link)
  return await race(stage, [wanted, link], async () => {
    const script = `cat '${wanted}/id_ed25519' /mnt/id_ed25519 2>&1; true`
    return await read((await stage.contender.start('sh', ['-c', script], [wanted])).stdout)
  })
}

/** The folder of a program, with a mark of a package in it: what is mounted is the whole folder. */
async function programRace(stage: Stage): Promise<Verdict> {
  const folder = ownFolder(stage.canaries.folder, `program-${stage.name}`)
  const [wanted, link] = [path.join(folder, 'work'), path.join(folder, 'other')]
  const keys = path.join(stage.canaries.home, '.ssh')
  mkdirSync(wanted)
  for (const place of [wanted, keys]) {
    writeFileSync(path.join(place, 'run.sh'), `cat '${wanted}/id_ed25519' 2>&1; true`)
    writeFileSync(path.join(place, 'package.json'), '{}')
  }
  symlinkSync(keys, link)
  return await race(stage, [wanted, link], async () => {
    return await read((await stage.contender.start('sh', [path.join(wanted, 'run.sh')])).stdout)
  })
}

async function secretRace(stage: Stage): Promise<Verdict> {
  const { canaries, name } = stage
  const folder = ownFolder(canaries.folder, `secret-${name}`)
  const [file, link] = [path.join(folder, 'token'), path.join(folder, 'other')]
  writeFileSync(file, 'its own')
  chmodSync(file, 0o600)
  symlinkSync(path.join(canaries.home, '.ssh', 'id_ed25519'), link)
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const cordonHome = path.join(canaries.home, '.cordon')
  const places = { homeFolder: canaries.home, vaultFolder: `${cordonHome}/vault`, cordonHome, log }
  const writableFolders = (): readonly string[] => [folder]
  const lend = async (): Promise<string> =>
    (await readSecretFile(file, { ...places, pinPath, writableFolders })).toString()
  const repeat = Array.from({ length: READS })
  return await race(stage, [file, link], async () => {
    if (name !== 'cordon') return readFileSync(file, 'utf8')
    const texts = await Promise.all(repeat.map(() => lend().catch(refusedOrThrow)))
    return texts.every((text) => text === undefined) ? undefined : texts.join(' ')
  })
}
