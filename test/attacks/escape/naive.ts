/**
 * The naive contenders: bubblewrap with the usual careless options, each contender with a different mistake. They are
 * the control: an attempt must succeed on one of them. They run only in the network namespace made for the test.
 */
import { spawn } from 'node:child_process'
import { lstatSync, readdirSync, readFileSync, readlinkSync, realpathSync } from 'node:fs'
import type { ProcessEnd } from '../../../src/kernel/sandbox-port.ts'
import { openBareProxy } from '../proxy/bare-proxy.ts'
import type { Setting } from './canaries.ts'
import type { Contained, Contender } from './contenders.ts'

export type NaiveName = 'plain' | 'secluded' | 'writable' | 'unsized' | 'unprivileged'

const LINE_WITHOUT_END = 100 * 2 ** 20

const PLAIN = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc']

/** The command line of each contender, up to the program. */
const NAIVE: Readonly<Record<NaiveName, (setting: Setting) => readonly string[]>> = {
  plain: (setting) => ['bwrap', ...PLAIN, ...ownWords(setting)],
  /** A pid namespace of its own, but its first process, bubblewrap itself, keeps the host's whole environment. */
  secluded: (setting) => ['bwrap', ...PLAIN, '--unshare-pid', ...ownWords(setting)],
  /** Folders bound one by one, with a writable file system in between. */
  writable: ({ packageFolder, token }) =>
    [
      ['bwrap', ...topFolders(), '--dev', '/dev', '--proc', '/proc'],
      ['--tmpfs', '/usr/share', '--tmpfs', '/etc'],
      ['--bind', packageFolder, packageFolder, '--setenv', 'TOKEN', token],
    ].flat(),
  /** Scratch space without a size, so as large as half the memory. */
  unsized: ({ folder }) =>
    [
      ['bwrap', ...PLAIN, '--tmpfs', '/tmp', '--tmpfs', '/run'],
      // Node and the folder may lie below /tmp or /run, which were just covered.
      ['--ro-bind', process.execPath, process.execPath],
      ['--ro-bind', folder, folder, '--setenv', 'HOME', '/tmp/home'],
    ].flat(),
  /** No sandbox, only another user: bubblewrap always sets no_new_privs, which stops set-user-id. */
  unprivileged: () =>
    process.getuid?.() === 0
      ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups']
      : ['env'],
}

export function openNaive(name: NaiveName, setting: Setting): Contender {
  return {
    async start(command, args, shown = []) {
      const views = shown.flatMap((folder) => ['--ro-bind', folder, '/mnt'])
      const words = [...NAIVE[name](setting), ...(name === 'unprivileged' ? [] : [...views, '--'])]
      return run([...words, command === 'node' ? process.execPath : command, ...args])
    },
    async openProxy(outside, scene) {
      const proxy = await openBareProxy(outside, scene.changes)
      return {
        port: proxy.port,
        blocked: undefined,
        take: () => undefined,
        [Symbol.asyncDispose]: () => proxy[Symbol.asyncDispose](),
      }
    },
    /** Buffers until a line ends, as a naive host does; gives up at `LINE_WITHOUT_END`. */
    async listen({ stdout }) {
      const held: Buffer[] = []
      let length = 0
      for await (const chunk of stdout) {
        held.push(chunk as Buffer)
        length += (chunk as Buffer).length
        if (length > LINE_WITHOUT_END) break
      }
      return `has ${held.length} pieces and no line`
    },
    async [Symbol.asyncDispose]() {},
  }
}

function ownWords({ resolverFile, token }: Setting): readonly string[] {
  return ['--ro-bind', resolverFile, realpathSync('/etc/resolv.conf'), '--setenv', 'TOKEN', token]
}

function topFolders(): readonly string[] {
  return readdirSync('/').flatMap((name) => {
    const folder = `/${name}`
    const kind = lstatSync(folder)
    if (kind.isSymbolicLink()) return ['--symlink', readlinkSync(folder), folder]
    return kind.isDirectory() && name !== 'dev' && name !== 'proc'
      ? ['--ro-bind', folder, folder]
      : []
  })
}

function run([command = '', ...args]: readonly string[]): Contained {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'ignore'] })
  child.stdin.on('error', () => undefined)
  const ended = new Promise<ProcessEnd>((resolve) => {
    child.once('exit', (code, signal) => {
      resolve(signal ? { kind: 'signalled', signal } : { kind: 'exited', code: code ?? 0 })
    })
  })
  const stop = async () => {
    child.kill('SIGKILL')
    child.stdin.destroy()
    child.stdout.destroy() // a process left behind may hold the pipe open
    return await ended
  }
  return {
    get pid() {
      return firstChildOf(child.pid ?? 0)
    },
    stdin: child.stdin,
    stdout: child.stdout,
    ended,
    stop,
  }
}

function firstChildOf(pid: number): number | undefined {
  const [first] = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ')
  return first ? Number(first) : undefined
}
