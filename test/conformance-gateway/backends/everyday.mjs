/**
 * A well-behaved MCP server with every feature, by hand, over standard input and output. `node everyday.mjs NAME`: the name
 * is in every answer, so that an answer of the wrong server is noticed. What a check has to decide (when a call ends, when
 * a list changes) is decided by calling a tool, never by time.
 */
import { createInterface } from 'node:readline'

const [own = 'alpha'] = process.argv.slice(2)
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='
const LONG = `long_${'x'.repeat(58)}`

const seen = { methods: {}, calls: {}, cancelled: [], began: [], unsubscribed: [] }
const count = (counts, name) => {
  counts[name] = (counts[name] ?? 0) + 1
}
const subscribed = new Set()
const held = new Map()
const questions = new Map()
let asked = 0
let grown = 0

const said = (text) => ({ content: [{ type: 'text', text }] })
const uriOf = (id) => `suite-${own}://note/${id}`
const resource = (id) => ({ uri: uriOf(id), mimeType: 'text/plain', text: `${own} note ${id}` })

/** Waits until `release` is called with the same key, or the call is cancelled. */
function hold({ key }, { id, isStubborn = false }) {
  const { promise, resolve, reject } = Promise.withResolvers()
  held.set(key, { id, isStubborn, resolve, reject })
  seen.began.push(key)
  return promise
}

async function ask(method, params) {
  asked += 1
  const id = `${own}-question-${asked}`
  const { promise, resolve } = Promise.withResolvers()
  questions.set(id, resolve)
  send({ id, method, params })
  return said(JSON.stringify(await promise))
}

const form = (message) => ({
  message,
  requestedSchema: {
    type: 'object',
    properties: { colour: { type: 'string', title: 'Colour' } },
    required: ['colour'],
  },
})

const RUN = {
  echo: ({ text }) => said(`${own}: ${text}`),
  structured: ({ count: n }) => ({
    structuredContent: { server: own, count: n },
    ...said(JSON.stringify({ server: own, count: n })),
  }),
  rich: () => ({
    content: [
      { type: 'text', text: own, annotations: { audience: ['user'], priority: 0.5 } },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'audio', data: WAV, mimeType: 'audio/wav' },
      { type: 'resource_link', uri: uriOf('one'), name: 'one' },
      { type: 'resource', resource: resource('one') },
    ],
  }),
  meta: (_args, { _meta = {} }) => ({ ...said(JSON.stringify(_meta)), _meta: { shade: own } }),
  fails: () => ({ ...said(`${own} could not do it`), isError: true }),
  breaks() {
    throw Object.assign(new Error(`${own} broke`), { code: -32050 })
  },
  progress: async ({ steps, words }, { _meta }) => {
    for (let step = 1; step <= steps; step += 1) {
      const message = `${words} ${step}`
      const params = { progressToken: _meta?.progressToken, progress: step, total: steps, message }
      if (_meta?.progressToken !== undefined) notify('notifications/progress', params)
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
    return said(`${own}: ${words}`)
  },
  hold: async (args, _params, id) => said(`${own}: ${await hold(args, { id })}`),
  hold_stubborn: async (args, _params, id) =>
    said(`${own}: ${await hold(args, { id, isStubborn: true })}`),
  release({ key, text }) {
    held.get(key)?.resolve(text)
    return said(String(held.delete(key)))
  },
  seen: () => said(JSON.stringify(seen)),
  log({ level, text }) {
    notify('notifications/message', { level, logger: own, data: text })
    return said('logged')
  },
  ask: ({ words }) => ask('elicitation/create', form(words)),
  ask_model: () =>
    ask('sampling/createMessage', {
      messages: [{ role: 'user', content: { type: 'text', text: 'Hello' } }],
      maxTokens: 10,
    }),
  ask_roots: () => ask('roots/list', {}),
  touch({ id }) {
    if (subscribed.has(uriOf(id))) notify('notifications/resources/updated', { uri: uriOf(id) })
    return said(String(subscribed.has(uriOf(id))))
  },
  grow() {
    grown += 1
    for (const list of ['tools', 'prompts', 'resources'])
      notify(`notifications/${list}/list_changed`)
    return said(String(grown))
  },
  big: ({ bytes }) => said('x'.repeat(bytes)),
  size: ({ text }) => said(String(text.length)),
  crash: () => process.kill(process.pid, 'SIGKILL'),
  [`${LONG}a`]: () => said(`${own}: a`),
  [`${LONG}b`]: () => said(`${own}: b`),
}

const TYPES = { steps: 'integer', bytes: 'integer', count: 'integer' }
const INPUTS = {
  echo: ['text'],
  structured: ['count'],
  progress: ['steps', 'words'],
  hold: ['key'],
  hold_stubborn: ['key'],
  release: ['key', 'text'],
  log: ['level', 'text'],
  ask: ['words'],
  touch: ['id'],
  big: ['bytes'],
  size: ['text'],
}
const schemaOf = (names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: TYPES[name] ?? 'string' }])),
  required: names,
})
const STRUCTURED = {
  type: 'object',
  properties: { server: { type: 'string' }, count: { type: 'integer' } },
  required: ['server', 'count'],
}
const readOnly = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }

const toolsListed = () => [
  ...Object.keys(RUN).map((name) => ({
    name,
    title: `Title of ${name}`,
    description: `Runs ${name} on ${own}`,
    inputSchema: schemaOf(INPUTS[name] ?? []),
    ...(name === 'structured' && { outputSchema: STRUCTURED }),
    annotations: readOnly,
  })),
  {
    name: 'delete_all',
    description: `Deletes every note of ${own}`,
    inputSchema: schemaOf([]),
    annotations: { readOnlyHint: false, destructiveHint: true },
  },
  ...(grown > 0
    ? [
        {
          name: 'grown',
          description: `Came later to ${own}`,
          inputSchema: schemaOf([]),
          annotations: readOnly,
        },
      ]
    : []),
]

function call(params, id) {
  count(seen.calls, params.name)
  if (params.name === 'grown' && grown > 0) return said(`${own}: grown`)
  const run = RUN[params.name]
  if (!run) throw Object.assign(new Error(`There is no ${params.name}`), { code: -32602 })
  return run(params.arguments ?? {}, params, id)
}

function read({ uri }) {
  const id = uri.split('/').at(-1)
  if (!uri.startsWith(uriOf('')) || id === 'missing') {
    throw Object.assign(new Error(`There is no ${uri}`), { code: -32002, data: { uri } })
  }
  return { contents: [resource(id)] }
}

const notes = () => ['one', 'two', ...(grown > 0 ? ['grown'] : [])]
const ANSWERS = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: {
      tools: { listChanged: true },
      prompts: { listChanged: true },
      resources: { listChanged: true, subscribe: true },
      completions: {},
      logging: {},
    },
    serverInfo: { name: own, version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools: toolsListed() }),
  'tools/call': call,
  'resources/list': () => ({
    resources: notes().map((id) => ({ uri: uriOf(id), name: id, mimeType: 'text/plain' })),
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      { uriTemplate: uriOf('{id}'), name: `${own} note`, mimeType: 'text/plain' },
    ],
  }),
  'resources/read': read,
  'resources/subscribe': ({ uri }) => ({ ...(subscribed.add(uri) && {}) }),
  'resources/unsubscribe'({ uri }) {
    subscribed.delete(uri)
    seen.unsubscribed.push(uri)
    return {}
  },
  'prompts/list': () => ({
    prompts: [
      {
        name: 'greet',
        description: `Greets on ${own}`,
        arguments: [{ name: 'who', required: true }],
      },
      ...(grown > 0 ? [{ name: 'grown' }] : []),
    ],
  }),
  'prompts/get': ({ arguments: { who } = {} }) => ({
    messages: [{ role: 'user', content: { type: 'text', text: `${own} greets ${who}` } }],
  }),
  'completion/complete': ({ argument: { value } }) => {
    const values = ['anna', 'bert'].filter((one) => one.startsWith(value))
    return { completion: { values, total: values.length, hasMore: false } }
  },
  'logging/setLevel': () => ({}),
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function notify(method, params = {}) {
  send({ method, params })
}

function cancel({ requestId }) {
  seen.cancelled.push(requestId)
  for (const [key, one] of held) {
    if (one.id !== requestId || one.isStubborn) continue
    held.delete(key)
    one.reject()
  }
}

async function handle({ id, method, params = {} }) {
  count(seen.methods, method)
  try {
    const run = ANSWERS[method]
    if (!run) throw Object.assign(new Error(`There is no ${method}`), { code: -32601 })
    send({ id, result: await run(params, id) })
  } catch (error) {
    // A cancelled call is rejected without a reason, and gets no answer.
    if (error) send({ id, error: { code: error.code ?? -32603, message: error.message } })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line)
  const { id, method, params, result, error } = message
  if (method === undefined) questions.get(id)?.(result ?? { error })
  else if (id !== undefined) void handle(message)
  else if (method === 'notifications/cancelled') cancel(params)
}
