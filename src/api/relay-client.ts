/**
 * `cordon gateway`: passes the bytes of a client on to the kernel, and back. Knows nothing of the protocol, so it costs a
 * client nothing but a process; everything is decided at the other end. The token is read from the client's key file and
 * never put on a command line, where other users could read it.
 */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { CordonError } from '../kernel/error.ts'

export interface RelayOptions {
  readonly homePath: string
  readonly name: string
  readonly terminal: {
    readonly stdin: NodeJS.ReadableStream
    readonly stdout: NodeJS.WritableStream
  }
}

export async function relayClient(
  { homePath, name, terminal }: RelayOptions,
  signal: AbortSignal,
): Promise<void> {
  const token = await readKey(join(homePath, 'clients', `${name}.key`), name)
  const socket = connect({ path: join(homePath, 'run', 'cordon.sock'), signal })
  const rest = await upgraded(socket, token, name)
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  socket.once('close', () => resolve())
  socket.on('error', () => socket.destroy())
  terminal.stdout.on('error', () => socket.destroy())
  terminal.stdout.write(rest)
  socket.pipe(terminal.stdout, { end: false })
  terminal.stdin.pipe(socket)
  await ended
}

const NAME = /^[a-z0-9-]{1,32}$/

async function readKey(path: string, name: string): Promise<string> {
  try {
    if (NAME.test(name)) return (await readFile(path, 'utf8')).trim()
  } catch {
    // Told below, in the same words as a name that cannot be one.
  }
  throw new CordonError(
    'gateway.no-client',
    { exit: 2, hint: `Run \`cordon client add ${NAME.test(name) ? name : 'NAME'}\` first` },
    `Cannot find client ${JSON.stringify(name)}`,
  )
}

const HEAD_END = '\r\n\r\n'
const LONGEST_HEAD = 4096

/** Resolves with the first bytes behind the head of the answer. */
async function upgraded(
  socket: ReturnType<typeof connect>,
  token: string,
  name: string,
): Promise<Buffer> {
  const head = [
    'GET /mcp HTTP/1.1',
    'Host: cordon',
    'Connection: Upgrade',
    'Upgrade: mcp',
    `Authorization: Bearer ${token}`,
  ]
  socket.write(`${head.join('\r\n')}${HEAD_END}`)
  let seen = Buffer.alloc(0)
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      seen = Buffer.concat([seen, chunk as Buffer])
      const end = seen.indexOf(HEAD_END)
      if (end < 0 && seen.length < LONGEST_HEAD) continue
      if (seen.toString('latin1', 0, 12) !== 'HTTP/1.1 101') break
      return seen.subarray(end + HEAD_END.length)
    }
  } catch (cause) {
    throw unreachable(cause)
  }
  socket.destroy()
  throw new CordonError(
    'gateway.token',
    { exit: 3, hint: `Run \`cordon client remove ${name}\` and add it again` },
    `Cannot enter as client ${JSON.stringify(name)}: its key is not valid any more`,
  )
}

function unreachable(cause: unknown): CordonError {
  return new CordonError(
    'cli.kernel-gone',
    { exit: 5, hint: 'Run `cordon up --detach`, then start the client again' },
    'Cannot reach the running kernel',
    cause,
  )
}
