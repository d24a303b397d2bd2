/**
 * The server that the official conformance suite expects behind its server scenarios: its tools, prompts and resources by
 * name. By hand and over standard input and output, so that it runs in a sandbox. `node everything-server.mjs legacy|modern`
 */
import { createInterface } from 'node:readline'
import { InputRequired, MODERN_PROMPTS, MODERN_TOOLS } from './input-required.mjs'

const isModern = process.argv[2] === 'modern'
const VERSION = '2026-07-28'
const META = 'io.modelcontextprotocol/'
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const WAV = 'UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA='

const text = (said) => ({ type: 'text', text: said })
const image = { type: 'image', data: PNG, mimeType: 'image/png' }
const embedded = (uri, mimeType, said) => ({
  type: 'resource',
  resource: { uri, mimeType, text: said },
})
const answer = (...content) => ({ content })
const strings = (...names) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  required: names,
})
const form = (message, properties, required = []) => ({
  message,
  requestedSchema: { type: 'object', properties, required },
})

const DEFAULTS = form('Please review and update the form fields with defaults', {
  name: { type: 'string', description: 'User name', default: 'John Doe' },
  age: { type: 'integer', description: 'User age', default: 30 },
  score: { type: 'number', description: 'User score', default: 95.5 },
  status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
  verified: { type: 'boolean', description: 'Verification status', default: true },
})
const titled = (...titles) => titles.map((title, at) => ({ const: `value${at + 1}`, title }))
const options = ['option1', 'option2', 'option3']
const ENUMS = form('Please select options from the enum fields', {
  untitledSingle: { type: 'string', enum: options },
  titledSingle: { type: 'string', oneOf: titled('First Option', 'Second Option', 'Third Option') },
  legacyEnum: {
    type: 'string',
    enum: ['opt1', 'opt2', 'opt3'],
    enumNames: ['One', 'Two', 'Three'],
  },
  untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
  titledMulti: {
    type: 'array',
    items: { anyOf: titled('First Choice', 'Second Choice', 'Third Choice') },
  },
})

const elicit = async (params, ask) => {
  const { action, content = {} } = await ask('elicitation/create', { mode: 'form', ...params })
  return answer(text(`Elicitation: action=${action}, content=${JSON.stringify(content)}`))
}

const TOOLS = {
  ...(isModern && MODERN_TOOLS),
  test_simple_text: () => answer(text('This is a simple text response for testing.')),
  test_image_content: () => answer(image),
  test_audio_content: () => answer({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
  test_embedded_resource: () =>
    answer(
      embedded('test://embedded-resource', 'text/plain', 'This is an embedded resource content.'),
    ),
  test_multiple_content_types: () =>
    answer(
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', 'application/json', '{"test":"data","value":123}'),
    ),
  test_tool_with_logging: async () => {
    for (const data of [
      'Tool execution started',
      'Tool processing data',
      'Tool execution completed',
    ]) {
      send({ method: 'notifications/message', params: { level: 'info', data } })
      await pause()
    }
    return answer(text('Tool with logging executed successfully'))
  },
  test_tool_with_progress: async (_args, { _meta }) => {
    const progressToken = _meta?.progressToken
    for (const progress of [0, 50, 100]) {
      send({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
      await pause()
    }
    return answer(text('done'))
  },
  test_error_handling: () => ({
    ...answer(text('This tool intentionally returns an error for testing')),
    isError: true,
  }),
  test_sampling: async ({ prompt }, _params, ask) => {
    const messages = [{ role: 'user', content: text(prompt) }]
    const { content } = await ask('sampling/createMessage', { messages, maxTokens: 100 })
    return answer(text(`LLM response: ${content?.text}`))
  },
  test_elicitation: ({ message }, _params, ask) =>
    elicit(form(message, { response: { type: 'string' } }, ['response']), ask),
  test_elicitation_sep1034_defaults: (_args, _params, ask) => elicit(DEFAULTS, ask),
  test_elicitation_sep1330_enums: (_args, _params, ask) => elicit(ENUMS, ask),
}
const INPUTS = { test_sampling: strings('prompt'), test_elicitation: strings('message') }
const user = (...content) => ({ messages: content.map((one) => ({ role: 'user', content: one })) })

const PROMPTS = {
  ...(isModern && MODERN_PROMPTS),
  test_simple_prompt: [[], () => user(text('This is a simple prompt for testing.'))],
  test_prompt_with_arguments: [
    ['arg1', 'arg2'],
    ({ arg1, arg2 }) => user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  ],
  test_prompt_with_embedded_resource: [
    ['resourceUri'],
    ({ resourceUri }) =>
      user(
        embedded(resourceUri, 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.'),
      ),
  ],
  test_prompt_with_image: [[], () => user(image, text('Please analyze the image above.'))],
}

const RESOURCES = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: PNG },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Watched resource content' },
}
const TEMPLATE = /^test:\/\/template\/([^/]+)\/data$/

function read({ uri }) {
  const [, id] = TEMPLATE.exec(uri) ?? []
  const said = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` })
  const found = id ? { mimeType: 'application/json', text: said } : RESOURCES[uri]
  if (!found) throw Object.assign(new Error('There is no such resource'), { code: -32602 })
  return { contents: [{ uri, ...found }], ...cache }
}

const cache = isModern ? { ttlMs: 1000, cacheScope: 'public' } : {}
const capabilities = {
  tools: { listChanged: true },
  resources: { subscribe: true, listChanged: true },
  prompts: { listChanged: true },
  completions: {},
  ...(!isModern && { logging: {} }),
}
const serverInfo = { name: 'conformance-server', version: '1.0.0' }
const ANSWERS = {
  'tools/list': () => ({
    tools: Object.keys(TOOLS).map((name) => ({
      name,
      description: `Runs ${name}`,
      inputSchema: INPUTS[name] ?? { type: 'object' },
    })),
    ...cache,
  }),
  'tools/call': (params, ask) => TOOLS[params.name](params.arguments ?? {}, params, ask),
  'prompts/list': () => ({
    prompts: Object.entries(PROMPTS).map(([name, [names]]) => ({
      name,
      description: `Gives ${name}`,
      arguments: names.map((one) => ({ name: one, description: `The ${one}`, required: true })),
    })),
    ...cache,
  }),
  'prompts/get': (params) => PROMPTS[params.name][1](params.arguments ?? {}, params),
  'resources/list': () => ({
    resources: Object.entries(RESOURCES).map(([uri, { mimeType }]) => ({
      uri,
      name: uri.slice('test://'.length),
      description: 'A resource for testing',
      mimeType,
    })),
    ...cache,
  }),
  'resources/templates/list': () => ({
    resourceTemplates: [
      { uriTemplate: 'test://template/{id}/data', name: 'template', mimeType: 'application/json' },
    ],
    ...cache,
  }),
  'resources/read': read,
  'completion/complete': () => ({ completion: { values: ['test'], total: 1, hasMore: false } }),
  ...(isModern
    ? { 'server/discover': () => ({ supportedVersions: [VERSION], capabilities, ...cache }) }
    : {
        initialize: ({ protocolVersion }) => ({ protocolVersion, capabilities, serverInfo }),
        ping: () => ({}),
        'logging/setLevel': () => ({}),
        'resources/subscribe': () => ({}),
        'resources/unsubscribe': () => ({}),
      }),
}

function send(message) {
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
}

function pause() {
  return new Promise((resolve) => {
    setTimeout(resolve, 20)
  })
}

const waiting = new Map()
let asked = 0

/** A question to the client: of the older versions a request; in the modern era the call is answered with it instead. */
function askIn({ inputResponses }) {
  return (method, params) => {
    if (inputResponses?.question) return Promise.resolve(inputResponses.question)
    if (isModern) return Promise.reject(new InputRequired({ question: { method, params } }))
    asked += 1
    const { promise, resolve } = Promise.withResolvers()
    waiting.set(`ask-${asked}`, resolve)
    send({ id: `ask-${asked}`, method, params })
    return promise
  }
}

const modern = (result) =>
  isModern
    ? { resultType: 'complete', _meta: { [`${META}serverInfo`]: serverInfo }, ...result }
    : result

async function handle(id, method, params) {
  try {
    const run = ANSWERS[method]
    if (!run) throw Object.assign(new Error(`There is no ${method}`), { code: -32601 })
    send({ id, result: modern(await run(params, askIn(params))) })
  } catch (error) {
    const { asked: needed, code = -32603, message, data } = error
    if (needed) send({ id, result: modern({ resultType: 'input_required', ...needed }) })
    else send({ id, error: { code, message, ...(data && { data }) } })
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {}, result } = JSON.parse(line)
  if (method === undefined) waiting.get(id)?.(result ?? {})
  else if (id !== undefined) void handle(id, method, params)
}
