/** Bait on the host for the escape artist: files, sockets, shared memory and a process. Removed when disposed. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Aim } from './inside/probe.ts'
import { HOST_PORT } from './stand-in.ts'

const inside = new URL('inside/', import.meta.url)

/** Paths and the token that a contender builds its sandbox from. */
export interface Setting {
  readonly folder: string
  readonly home: string
  readonly packageFolder: string
  readonly token: string
  readonly resolverFile: string
}

export interface Canaries extends Setting, Disposable {
  /** The escape artist. */
  readonly script: string
  readonly setUserIdFile: string
  /** A symbolic link to the private keys, as a server would plant it in a folder that it may write to. */
  readonly plantedLink: string
  /** The targets, passed to the escape artist as its argument. */
  readonly aim: Aim
}

/** The bait that only the root of the test's namespaces can prepare. */
export interface Prepared {
  readonly hostSecret: string
  readonly leakedFile: string
  readonly setUserIdFile: string
}

export async function setCanaries(prepared: Prepared): Promise<Canaries> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cordon-escape-')))
  const files = layOut(folder)
  const token = `tok_${randomBytes(12).toString('hex')}`
  const sharedKey = randomBytes(4).readUInt32BE() >>> 1
  const shared = execFileSync('perl', ['-e', `print shmget(${sharedKey}, 4096, 01666)`], {
    encoding: 'utf8',
  })
  const abstractSocket = `cordon-${randomBytes(6).toString('hex')}`
  const pathSocket = path.join(folder, 'daemon.sock')
  const servers = await Promise.all([`\0${abstractSocket}`, pathSocket].map(listenAt))
  chmodSync(pathSocket, 0o777)
  const bystander: ChildProcess = spawn('sleep', ['600'])
  return {
    ...files,
    folder,
    token,
    setUserIdFile: prepared.setUserIdFile,
    aim: {
      attempts: [],
      proxyPort: 0,
      reachable: '',
      patienceMs: 0,
      words: {},
      keyFile: path.join(files.home, '.ssh', 'id_ed25519'),
      homes: path.dirname(files.home),
      packageFolder: files.packageFolder,
      hostSecret: prepared.hostSecret,
      leakedFile: prepared.leakedFile,
      hostPid: bystander.pid ?? 0,
      sharedKey,
      abstractSocket,
      pathSocket,
      hostPort: HOST_PORT,
    },
    [Symbol.dispose]() {
      bystander.kill('SIGKILL')
      for (const server of servers) server.close()
      execFileSync('perl', ['-e', `shmctl(${shared}, 0, 0)`])
      rmSync(folder, { recursive: true })
    },
  }
}

type Files = Pick<Canaries, 'home' | 'packageFolder' | 'script' | 'plantedLink' | 'resolverFile'>

function layOut(folder: string): Files {
  const at = (...names: readonly string[]) => path.join(folder, ...names)
  const keys = at('homes', 'owner', '.ssh')
  for (const made of [keys, at('app'), at('data')]) mkdirSync(made, { recursive: true })
  chmodSync(folder, 0o755)
  writeFileSync(path.join(keys, 'id_ed25519'), 'PRIVATE KEY')
  symlinkSync(keys, at('data', 'link'))
  for (const name of readdirSync(inside)) {
    writeFileSync(at('app', name.replace(/ts$/, 'js')), asJavaScript(new URL(name, inside)))
  }
  writeFileSync(at('app', 'package.json'), '{"type":"module"}')
  writeFileSync(at('resolv.conf'), 'nameserver 8.8.8.8\n')
  return {
    home: at('homes', 'owner'),
    packageFolder: at('app'),
    script: at('app', 'artist.child.js'),
    plantedLink: at('data', 'link'),
    resolverFile: at('resolv.conf'),
  }
}

/** The escape artist starts about seventy times, so its types are stripped once instead of at every start. */
function asJavaScript(file: URL): string {
  const text = stripTypeScriptTypes(readFileSync(file, 'utf8'))
  return text.replaceAll(/(from '\.[^']*)\.ts'/g, "$1.js'")
}

function listenAt(address: string): Promise<Server> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.end('HOST DAEMON')
  })
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(address, () => resolve(server))
  })
}
