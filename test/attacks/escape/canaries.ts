/** Things of the host that an escape artist would like to reach, set out for it, and taken away again. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { HOST_PORT, PROXY_PORT } from './stand-in.ts'

const artist = new URL('../../fixtures/servers/escape-artist.mjs', import.meta.url)

export interface Canaries extends Disposable {
  readonly home: string
  readonly folder: string
  readonly script: string
  readonly token: string
  /** A link that the server planted in a folder it may write to; it leads to the private keys. */
  readonly plantedLink: string
  readonly resolverFile: string
  /** What the escape artist is told to look for. */
  readonly aim: Readonly<Record<string, unknown>>
}

export async function setCanaries(hostSecret: string, leakedFile: string): Promise<Canaries> {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'cordon-escape-')))
  const [home, app, data] = ['home', 'app', 'data'].map((name) => path.join(folder, name)) as [
    string,
    string,
    string,
  ]
  for (const made of [home, app, data, path.join(home, '.ssh')]) mkdirSync(made)
  for (const open of [folder, app, data]) chmodSync(open, 0o755)
  const keyFile = path.join(home, '.ssh', 'id_ed25519')
  writeFileSync(keyFile, 'PRIVATE KEY')
  symlinkSync(path.join(home, '.ssh'), path.join(data, 'link'))
  writeFileSync(path.join(app, 'package.json'), '{}')
  const script = path.join(app, 'escape-artist.mjs')
  copyFileSync(artist, script)
  const resolverFile = path.join(folder, 'resolv.conf')
  writeFileSync(resolverFile, 'nameserver 8.8.8.8\n')

  const token = `tok_${randomBytes(12).toString('hex')}`
  const sharedKey = randomBytes(4).readUInt32BE() >>> 1
  const shared = execFileSync('perl', ['-e', `print shmget(${sharedKey}, 4096, 01666)`], {
    encoding: 'utf8',
  })
  const abstractSocket = `cordon-${randomBytes(6).toString('hex')}`
  const pathSocket = path.join(folder, 'daemon.sock')
  const servers = await Promise.all([`\0${abstractSocket}`, pathSocket].map(listenAt))
  chmodSync(pathSocket, 0o777)
  const bystander: ChildProcess = spawn('sleep', ['60'])
  return {
    home,
    folder,
    script,
    token,
    plantedLink: path.join(data, 'link'),
    resolverFile,
    aim: {
      keyFile,
      packageFolder: app,
      hostSecret,
      leakedFile,
      hostPid: bystander.pid,
      sharedKey,
      abstractSocket,
      pathSocket,
      hostPort: HOST_PORT,
      otherProxyPort: PROXY_PORT,
    },
    [Symbol.dispose]() {
      bystander.kill('SIGKILL')
      for (const server of servers) server.close()
      execFileSync('perl', ['-e', `shmctl(${shared}, 0, 0)`])
      rmSync(folder, { recursive: true })
    },
  }
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
