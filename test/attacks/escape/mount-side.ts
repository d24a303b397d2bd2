/** Attempts to have another folder or file mounted or lent than the one that was judged, and on the first process. */
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { CordonError } from '../../../src/kernel/error.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { readSecretFile } from '../../../src/vault/secret-file.ts'
import { until } from '../../fixtures/until.ts'
import { ownFolder } from './own-folder.ts'
import { read } from './processes.ts'
import type { Stage } from './stage.ts'
import { got, stopped, type Verdict, type Verdicts } from './verdict.ts'

export const MOUNT_SIDE: Readonly<Record<number, (stage: Stage) => Promise<Verdicts>>> = {
  62: async (stage) => ({ 'a link to a public folder': await ownLink(stage) }),
  63: async (stage) => ({ 'a link to another key': await lentLink(stage) }),
  98: async (stage) => ({ inotify: await watchWithFolder(stage) }),
  64: async (stage) => ({ processes: await limitsOfInit(stage) }),
}

const REFUSALS = new Set(['sandbox.path', 'sandbox.start'])
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

/** A server with a folder has a use for watches, and none for those on the programs of the machine. */
async function watchWithFolder({ name, contender, canaries }: Stage): Promise<Verdict> {
  const folder = ownFolder(canaries.folder, `watched-${name}`)
  const [init, add] = process.arch === 'arm64' ? [26, 27] : [294, 254]
  const script = `my $d = "/usr/bin"; my $i = syscall(${init}, 0); die $! if $i < 0;
    print syscall(${add}, $i, $d, 0x20) >= 0 ? "watched" : $!{EPERM} ? "EPERM" : "$!"`
  const running = await contender.start('perl', ['-e', script], [folder])
  const text = await read(running.stdout)
  return text === 'watched' ? got('/usr/bin') : stopped(text)
}

async function limitsOfInit({ contender, mark }: Stage): Promise<Verdict> {
  const running = await contender.start('sleep', [mark])
  await until(() => running.pid !== undefined)
  const text = readFileSync(`/proc/${running.pid}/limits`, 'utf8')
  await running.stop()
  const most = /^Max processes\s+(\S+)/m.exec(text)?.[1]
  return most === '128' ? stopped('limited') : got(`${most} processes`)
}
