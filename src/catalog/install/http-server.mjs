/**
 * A small MCP server that speaks to one web site and to nothing else, for services that have no server of their own.
 * It runs inside a sandbox, and its proxy decides again where it may go. It follows no redirect, and never shows its
 * token. One file without dependencies: it is copied as it is.
 *
 *   CORDON_HTTP_BASE_URL  https only; every request stays below it
 *   CORDON_HTTP_TOKEN     sent with every request, where there is one
 *   CORDON_HTTP_HEADER    the header it is sent in; otherwise as `Authorization: Bearer …`
 */
import process from 'node:process'
import { createInterface } from 'node:readline'

const VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05']
const METHODS = ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']
const MOST_BYTES = 2 ** 20
const TIMEOUT_MS = 30_000
const READABLE = /^(text\/|application\/([\w.+-]*\+)?(json|xml|javascript|x-ndjson|yaml))/i

const INVALID_PARAMS = -32_602
const NO_SUCH_METHOD = -32_601
const INTERNAL = -32_603

// oxlint-disable-next-line node/no-process-env -- this is a program of its own; its settings come in the environment
const site = readSite(process.env)
const running = new Map()

const pathSchema = { type: 'string', description: `Below ${site.base}; begins with "/"` }
const querySchema = {
  type: 'object',
  description: 'Query parameters',
  additionalProperties: { type: 'string' },
}
const tools = [
  {
    name: 'http_get',
    title: 'Read from the site',
    description: `Reads one address of ${site.base.host} with GET`,
    inputSchema: {
      type: 'object',
      properties: { path: pathSchema, query: querySchema },
      required: ['path'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  },
  {
    name: 'http_request',
    title: 'Send to the site',
    description: `Sends a request that may change something on ${site.base.host}`,
    inputSchema: {
      type: 'object',
      properties: {
        method: { type: 'string', enum: METHODS },
        path: pathSchema,
        query: querySchema,
        body: { type: 'string', description: 'Sent as it is' },
        contentType: { type: 'string', description: 'Of the body; JSON where nothing is said' },
      },
      required: ['method', 'path'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
  },
]

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion: VERSIONS.includes(protocolVersion) ? protocolVersion : VERSIONS[0],
    capabilities: { tools: {} },
    serverInfo: { name: 'cordon-http', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': callTool,
}

class RpcError extends Error {
  constructor(code, message) {
    super(message)
    this.code = code
  }
}

async function callTool({ name, arguments: given = {} }, signal) {
  if (!tools.some((one) => one.name === name)) throw new RpcError(INVALID_PARAMS, 'No such tool')
  const method = name === 'http_get' ? 'GET' : given.method
  try {
    return await send(readRequest({ ...given, method }), signal)
  } catch (error) {
    return { isError: true, content: [{ type: 'text', text: explain(error) }] }
  }
}

/** Only what the schema names: anything else of a call has no effect. */
function readRequest({ method, path, query = {}, body, contentType = 'application/json' }) {
  if (!METHODS.includes(method)) throw new Error(`A method is one of ${METHODS.join(', ')}`)
  return { method, url: targetOf(path, query), body, contentType }
}

function targetOf(path, query) {
  if (typeof path !== 'string' || !path.startsWith('/')) throw new Error('A path begins with "/"')
  const url = new URL(`${site.base.origin}${site.prefix}${path}`)
  const isBelow = url.pathname === site.prefix || url.pathname.startsWith(`${site.prefix}/`)
  if (url.origin !== site.base.origin || !isBelow) throw new Error(`That is not below ${site.base}`)
  for (const [name, value] of Object.entries(query)) url.searchParams.append(name, String(value))
  return url
}

async function send({ method, url, body, contentType }, signal) {
  const hasBody = typeof body === 'string' && method !== 'GET'
  // oxlint-disable-next-line no-restricted-globals -- inside its sandbox, this leads to the proxy and nowhere else
  const response = await fetch(url, {
    method,
    headers: { ...site.headers, accept: '*/*', ...(hasBody && { 'content-type': contentType }) },
    ...(hasBody && { body }),
    redirect: 'manual', // another site must not get the token
    signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
  })
  const text = [...headOf(response), '', await bodyOf(response)].join('\n')
  return { isError: response.status >= 400, content: [{ type: 'text', text }] }
}

function headOf(response) {
  const shown = ['content-type', 'location', 'link', 'retry-after']
  const lines = shown.map((name) => [name, response.headers.get(name)])
  return [
    `HTTP ${response.status} ${response.statusText}`.trim(),
    ...lines.filter(([, value]) => value !== null).map(([name, value]) => `${name}: ${value}`),
  ]
}

async function bodyOf(response) {
  const type = response.headers.get('content-type') ?? 'text/plain'
  if (!READABLE.test(type)) {
    await response.body?.cancel()
    return `(not shown: ${type})`
  }
  const chunks = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    chunks.push(chunk)
    if (size > MOST_BYTES) break
  }
  const text = Buffer.concat(chunks).subarray(0, MOST_BYTES).toString()
  return size > MOST_BYTES ? `${text}\n(cut off after ${MOST_BYTES} bytes)` : text
}

/** A failed fetch hides its reason in the cause; none of them holds a header. */
function explain(error) {
  const { message, cause } = error
  return cause?.message ? `${message}: ${cause.message}` : message
}

function readSite(environment) {
  const base = readBase(environment.CORDON_HTTP_BASE_URL ?? '')
  return { base, prefix: base.pathname.replace(/\/+$/, ''), headers: readHeaders(environment) }
}

function readBase(address) {
  if (!URL.canParse(address)) refuse('CORDON_HTTP_BASE_URL is not an address')
  const base = new URL(address)
  const isPlain = base.protocol === 'https:' && !base.username && !base.search && !base.hash
  if (!isPlain) refuse('CORDON_HTTP_BASE_URL is not a plain https address')
  return base
}

function readHeaders({ CORDON_HTTP_TOKEN: token, CORDON_HTTP_HEADER: header }) {
  if (!token) return {}
  if (!/^[\x21-\x7e]+$/.test(token)) refuse('CORDON_HTTP_TOKEN does not fit into a header')
  if (!header) return { authorization: `Bearer ${token}` }
  if (!/^[\w-]+$/.test(header)) refuse('CORDON_HTTP_HEADER is not the name of a header')
  return { [header]: token }
}

function refuse(why) {
  process.stderr.write(`cordon-http: ${why}\n`)
  // oxlint-disable-next-line unicorn/no-process-exit -- nothing is open yet
  process.exit(1)
}

function say(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

async function take(line) {
  const { id, method, params = {} } = JSON.parse(line)
  if (method === 'notifications/cancelled') running.get(params.requestId)?.abort()
  if (id === undefined || method === undefined) return
  const control = new AbortController()
  running.set(id, control)
  try {
    const answer = Object.hasOwn(answers, method) ? answers[method] : undefined
    if (!answer) throw new RpcError(NO_SUCH_METHOD, 'Method not found')
    say({ id, result: await answer(params, control.signal) })
  } catch (error) {
    say({ id, error: { code: error.code ?? INTERNAL, message: error.message } })
  } finally {
    running.delete(id)
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  void take(line).catch(() => say({ id: null, error: { code: -32_700, message: 'Parse error' } }))
}
