/** Gateways from npm, each started as its own documentation says. `scripts/install-apart.cjs` has installed them. */
import { writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../fixtures/free-port.ts'
import { until } from '../../fixtures/until.ts'
import { openClient } from '../client/mcp-client.ts'
import { httpWire } from '../client/wire-http.ts'
import { sseWire } from '../client/wire-sse.ts'
import { type Adapter, type Backend, type Gateway, serversJson } from './adapter.ts'
import { listening, openPeerProcess } from './peer-process.ts'

const modules = fileURLToPath(
  new URL('../../../node_modules/.cache/cordon-gateway-peers/node_modules/', import.meta.url),
)

interface Start {
  readonly port: number
  readonly backends: readonly Backend[]
  /** Writes a file into the gateway's own folder and returns its path. */
  readonly file: (name: string, text: string) => string
}

interface Peer extends Pick<Adapter, 'name' | 'isSingle'> {
  readonly program: string
  readonly args: (start: Start) => readonly string[]
  /** It speaks the older HTTP+SSE only. */
  readonly isOlder?: true
}

const words = (line: string): readonly string[] => line.split(' ')

const PEERS: readonly Peer[] = [
  {
    name: 'supergateway',
    isSingle: true,
    program: 'supergateway/dist/index.js',
    args: ({ port, backends: [backend] }) => [
      '--stdio',
      backend?.command.join(' ') ?? '',
      ...words(`--outputTransport streamableHttp --stateful --logLevel none --port ${port}`),
    ],
  },
  {
    name: 'mcp-proxy',
    isSingle: true,
    program: 'mcp-proxy/dist/bin/mcp-proxy.mjs',
    args: ({ port, backends: [backend] }) => [
      ...words(`--host 127.0.0.1 --server stream --port ${port} --`),
      ...(backend?.command ?? []),
    ],
  },
  {
    name: 'mcp-hub',
    program: 'mcp-hub/dist/cli.js',
    args: ({ port, backends, file }) => [
      ...words(`--port ${port} --config`),
      file('servers.json', serversJson(backends)),
    ],
    isOlder: true,
  },
  {
    name: 'mcporter',
    program: 'mcporter/dist/cli.js',
    args: ({ port, backends, file }) => [
      ...words(`serve --http ${port} --config`),
      file('servers.json', serversJson(backends, { lifecycle: 'keep-alive' })),
    ],
  },
]

export const PEER_ADAPTERS: readonly Adapter[] = PEERS.map((peer) => ({
  name: peer.name,
  ...(peer.isSingle && { isSingle: peer.isSingle }),
  open: (backends) => openPeer(peer, backends),
}))

async function openPeer(
  { name, program, args, isOlder }: Peer,
  backends: readonly Backend[],
): Promise<Gateway> {
  await using stack = new AsyncDisposableStack()
  const running = stack.use(openPeerProcess(name))
  const port = await freePort()
  const file = (called: string, text: string): string => {
    const place = path.join(running.folder, called)
    writeFileSync(place, text)
    return place
  }
  running.start([path.join(modules, program), ...args({ port, backends, file })])
  await listening(port)
  const target = { url: `http://127.0.0.1:${port}/mcp` }
  const wire = isOlder ? sseWire(target) : httpWire(target)
  await until(() => hasAll(wire, backends.length))
  const owned = stack.move()
  return {
    wire: () => wire,
    clients: 'sessions',
    ...(!isOlder && { http: () => target }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** Some listen before their servers are ready: every server has a tool `echo`. */
async function hasAll(wire: ReturnType<typeof httpWire>, servers: number): Promise<boolean> {
  try {
    await using client = await openClient(wire)
    const listed = await client.request('tools/list')
    const tools = listed.kind === 'result' ? listed.result['tools'] : []
    const echoes = (tools as readonly { readonly name: string }[]).filter(({ name }) =>
      name.endsWith('echo'),
    )
    return echoes.length >= servers
  } catch {
    return false
  }
}
