/** A contender runs a program behind sandbox and proxy and reads its output: Cordon's real rooms, or a naive setup. */
import { existsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { createEgress } from '../../../src/egress/create-egress.ts'
import type { Outside } from '../../../src/egress/test-outside.ts'
import type { ServerProxy } from '../../../src/ports/egress-port.ts'
import type { ImageRoot } from '../../../src/kernel/image-root.ts'
import type { ConnectionSource, ProcessEnd } from '../../../src/kernel/sandbox-port.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { PROXY_PORT } from '../../../src/text/tunnel.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openSandbox } from '../../../src/sandbox/open-sandbox.ts'
import { LineTransport } from '../../../src/servers/session/line-transport.ts'
import type { Scene } from '../proxy/scenes.ts'
import type { Setting } from './canaries.ts'
import { type NaiveName, openNaive } from './naive.ts'

export interface Contained {
  /** Of the first process inside where it has a pid namespace of its own. */
  readonly pid?: number | undefined
  readonly stdin: Writable
  readonly stdout: Readable
  readonly connections?: ConnectionSource
  readonly ended: Promise<ProcessEnd>
  stop(): Promise<unknown>
}

/** The proxy of one contained program. */
export interface Proxied extends AsyncDisposable {
  /** The proxy's port, as the program sees it. */
  readonly port: number
  /** Messages to the owner about blocked requests; undefined for a contender that reports none. */
  readonly blocked: readonly string[] | undefined
  take(contained: Contained): void
}

export interface Contender extends AsyncDisposable {
  /** `shown`: folders that the program may read; `written`: folders that it may write. */
  start(
    command: string,
    args: readonly string[],
    shown?: readonly string[],
    written?: readonly string[],
  ): Promise<Contained>
  openProxy(outside: Outside, scene: Scene): Promise<Proxied>
  /** Reads a server's stdout as a host does, and returns why the host hung up. */
  listen(contained: Contained): Promise<string>
}

export type ContenderName = 'cordon' | NaiveName

const server = parseServerId('escape-artist')
const SETTINGS = {
  mode: 'bwrap',
  memoryLimitBytes: 128 * 2 ** 20,
  readOnlyFs: true,
  allowTmp: true,
} as const

export async function openContender(name: ContenderName, setting: Setting): Promise<Contender> {
  return name === 'cordon' ? await openCordon(setting) : openNaive(name, setting)
}

/** The root file system of an image, if the attempts are made from inside one. */
const IMAGE_ROOT = process.env['IMAGE_ROOT']
const IMAGE = {
  workingFolder: '/',
  user: { uid: 1000, gid: 1000 },
  environment: { PATH: '/image-node:/usr/bin:/bin' },
  volumes: [],
  shownAt: {},
} as const

/** An image shows no program of this machine, so those of the attempts are declared. */
function inImage(
  root: string,
  words: readonly string[],
  { packageFolder }: Pick<Setting, 'packageFolder'>,
): { readonly image: ImageRoot; readonly shown: readonly string[] } {
  const isOwn = (word: string): boolean => word.startsWith(`${tmpdir()}/`)
  const programs = words
    .filter((word) => isOwn(word) && existsSync(word))
    .map((word) => path.dirname(word))
  return { image: { ...IMAGE, root }, shown: [...new Set([packageFolder, ...programs])] }
}

async function openCordon({ home, token, packageFolder }: Setting): Promise<Contender> {
  const sandbox = await openSandbox({
    pinPath,
    nodePath: process.execPath,
    cordonHome: `${home}/.cordon`,
    userHome: home,
    timings: { politeMs: 200, firmMs: 200 },
  })
  return {
    async start(command, args, readPaths = [], writePaths = []) {
      const program = { command, args, environment: { TOKEN: token }, networked: true }
      const inside =
        IMAGE_ROOT === undefined
          ? { shown: [] }
          : inImage(IMAGE_ROOT, [command, ...args], { packageFolder })
      const { shown, ...image } = inside
      const folders = [
        ...readPaths,
        ...shown.filter((one) => ![...readPaths, ...writePaths].includes(one)),
      ]
      const settings = { ...SETTINGS, readPaths: folders, writePaths, ...image }
      const running = await sandbox.launch(
        { server, ...program, settings },
        new AbortController().signal,
      )
      running.stderr.resume()
      return running
    },
    openProxy: async (outside, scene) => guardedBy(outside, scene),
    async listen(contained) {
      const transport = new LineTransport(contained, () => undefined)
      const closed = Promise.withResolvers<void>()
      Object.assign(transport, { onclose: closed.resolve })
      await transport.start()
      await closed.promise
      return transport.failure ?? 'hung up'
    },
    [Symbol.asyncDispose]: () => sandbox[Symbol.asyncDispose](),
  }
}

/** The real proxy, on the listening socket that was handed out of the sandbox. */
function guardedBy(outside: Outside, { allowed, changes }: Scene): Proxied {
  const blocked: string[] = []
  let proxy: ServerProxy | undefined
  return {
    port: PROXY_PORT,
    blocked,
    take({ connections }) {
      if (connections === undefined) throw new Error('no listener came out')
      proxy = createEgress(outside.parts(changes)).guard(
        server,
        { allowedDomains: allowed },
        connections,
        ({ message }) => blocked.push(message),
      )
    },
    async [Symbol.asyncDispose]() {
      await proxy?.[Symbol.asyncDispose]()
    },
  }
}
