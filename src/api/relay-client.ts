/**
 * `cordon gateway`: hands the client's standard input and output over to the kernel, which then serves them itself; this
 * process only waits for the end. Where they cannot be handed over, it passes the bytes on and back. Knows nothing of the
 * protocol; everything is decided at the other end. The token is read from the client's key file and never put on a
 * command line, where other users could read it.
 */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'
import { CordonError } from '../kernel/error.ts'

type Socket = ReturnType<typeof connect>

export interface RelayOptions {
  readonly homePath: string
  readonly name: string
  readonly terminal: {
    readonly stdin: NodeJS.ReadableStream
    readonly stdout: NodeJS.WritableStream
  }
  /** Whether standard input and output can be given away. */
  canPassStreams(): boolean
  /** Gives them to the process behind the connection; false if that failed. */
  giveStreams(connection: Socket): Promise<boolean>
}

export async function relayClient(options: RelayOptions, signal: AbortSignal): Promise<void> {
  const { homePath, name } = options
  const token = await readKey(join(homePath, 'clients', `${name}.key`), name)
  const enter = async (areOffered: boolean): Promise<Entered> => {
    const socket = connect({ path: join(homePath, 'run', 'cordon.sock'), signal })
    return { socket, ...(await upgraded(socket, { token, name, areOffered })) }
  }
  if (options.canPassStreams()) {
    const { socket, areTaken } = await enter(true)
    if (areTaken && (await options.giveStreams(socket))) return await ending(socket.resume())
    socket.destroy()
  }
  const { socket, rest } = await enter(false)
  const { stdin, stdout } = options.terminal
  stdout.on('error', () => socket.destroy())
  stdout.write(rest)
  socket.pipe(stdout, { end: false })
  stdin.pipe(socket)
  await ending(socket)
}

async function ending(socket: Socket): Promise<void> {
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  socket.once('close', () => resolve())
  socket.on('error', () => socket.destroy())
  await ended
}

interface Entered extends Answered {
  readonly socket: Socket
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

interface Answered {
  /** The first bytes behind the head of the answer. */
  readonly rest: Buffer
  /** The kernel waits for the streams now. */
  readonly areTaken: boolean
}

async function upgraded(
  socket: Socket,
  {
    token,
    name,
    areOffered,
  }: { readonly token: string; readonly name: string; readonly areOffered: boolean },
): Promise<Answered> {
  const head = [
    'GET /mcp HTTP/1.1',
    'Host: cordon',
    'Connection: Upgrade',
    'Upgrade: mcp',
    `Authorization: Bearer ${token}`,
    ...(areOffered ? ['Cordon-Streams: offered'] : []),
  ]
  socket.write(`${head.join('\r\n')}${HEAD_END}`)
  let seen = Buffer.alloc(0)
  try {
    for await (const chunk of socket.iterator({ destroyOnReturn: false })) {
      seen = Buffer.concat([seen, chunk as Buffer])
      const end = seen.indexOf(HEAD_END)
      if (end < 0 && seen.length < LONGEST_HEAD) continue
      if (seen.toString('latin1', 0, 12) !== 'HTTP/1.1 101') break
      const areTaken = seen.toString('latin1', 0, end).includes('\r\nCordon-Streams: taken')
      return { rest: seen.subarray(end + HEAD_END.length), areTaken }
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
