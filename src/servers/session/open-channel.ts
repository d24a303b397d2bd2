/**
 * The way to one server: a process behind its cordon, or a guarded way out to a remote one. It owns the lease, the
 * process and its proxy for as long as the server runs, and gives back all three.
 */
import type { Transport } from '@modelcontextprotocol/client'
import type { Egress } from '../../kernel/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { Files, Lease, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Sandbox, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { isRemote } from '../definition-rules.ts'
import { explainEnd } from './failure.ts'
import type { LogRing } from './log-ring.ts'
import { createRemoteTransport } from './remote-transport.ts'
import { StdioTransport } from './stdio-transport.ts'

/** How long the end of a process may trail the end of its output; it says more about the reason. */
const END_GRACE_MS = 1000

export interface ChannelRooms {
  readonly sandbox: Pick<Sandbox, 'launch'>
  readonly egress: Egress
  readonly vault: Pick<Vault, 'lease'>
  readonly files: Pick<Files, 'read'>
  readonly owner: PrincipalId
  readonly certsFolder: string
}

export interface Channel extends AsyncDisposable {
  readonly transport: Transport
  readonly process?: SandboxedProcess
  /** Asked once the connection is over: why, as a clause that completes "Server x …". */
  reason(): Promise<string>
}

export async function openChannel(
  rooms: ChannelRooms,
  definition: ServerDefinition,
  ring: LogRing,
  signal: AbortSignal,
): Promise<Channel> {
  await using stack = new AsyncDisposableStack()
  const lease = stack.use(await rooms.vault.lease(rooms.owner, definition.auth, signal))
  if (isRemote(definition.transport)) {
    const transport = await createRemoteTransport(rooms, definition, lease)
    return own(stack.move(), { transport, reason: async () => 'closed the connection' })
  }
  if (definition.transport !== 'stdio') throw noSuchTransport(definition)
  ring.begin()
  const process = stack.use(await rooms.sandbox.launch(launchSpec(definition, lease), signal))
  if (process.connections) {
    const rules = { allowedDomains: definition.allowedDomains }
    const tell = ({ message }: { readonly message: string }): void => ring.add('egress', message)
    stack.use(rooms.egress.guard(definition.id, rules, process.connections, tell))
  }
  const heard = followErrors(process, ring)
  const transport = new StdioTransport(process, (line) => ring.add('stdout', line))
  const reason = async (): Promise<string> => {
    if (transport.failure !== undefined) return transport.failure
    const late = new Promise<undefined>((resolve) => {
      setTimeout(resolve, END_GRACE_MS, undefined).unref()
    })
    const end = await Promise.race([process.ended, late])
    await Promise.race([heard, late]) // its last words belong to the reason
    return end ? explainEnd(end, definition) : 'closed its standard output'
  }
  return own(stack.move(), { transport, process, reason })
}

/** From here on the channel owns what was opened; the process ends before its lease. */
function own(
  stack: AsyncDisposableStack,
  parts: Omit<Channel, typeof Symbol.asyncDispose>,
): Channel {
  return { ...parts, [Symbol.asyncDispose]: () => stack.disposeAsync() }
}

function launchSpec(definition: ServerDefinition, lease: Lease): Parameters<Sandbox['launch']>[0] {
  const secrets = Object.keys(definition.auth).map((name) => [name, lease.value(name).toString()])
  return {
    server: definition.id,
    command: definition.command ?? '',
    args: definition.args,
    environment: { ...definition.env, ...(Object.fromEntries(secrets) as Record<string, string>) },
    settings: definition.sandbox,
    networked: definition.allowedDomains.length > 0,
  }
}

/** Settles when everything that was said is in the ring. */
function followErrors({ stderr }: SandboxedProcess, ring: LogRing): Promise<void> {
  const follower = ring.follow('stderr')
  stderr.on('data', (chunk: Buffer) => follower.push(chunk))
  stderr.on('error', () => undefined) // the end of the process says what happened
  return new Promise((resolve) => {
    stderr.once('close', () => {
      follower.end()
      resolve()
    })
  })
}

function noSuchTransport({ id, transport }: ServerDefinition): CordonError {
  return new CordonError(
    'servers.transport',
    {
      exit: 5,
      hint: `Set \`transport = "stdio"\` or "stream-http" with \`cordon mcp edit ${id}\``,
    },
    `Cannot speak ${JSON.stringify(transport)} with server ${JSON.stringify(id)} yet`,
  )
}
