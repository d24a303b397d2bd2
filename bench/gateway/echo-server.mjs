/** The server behind every gateway that is measured: by hand, so that it costs as little as a server can. Reads only. */
import { createInterface } from 'node:readline'

const readOnly = { readOnlyHint: true, destructiveHint: false, openWorldHint: false }
const tool = (name, description, properties) => ({
  name,
  description,
  inputSchema: { type: 'object', properties, required: Object.keys(properties) },
  annotations: readOnly,
})
const tools = [
  tool('echo', 'Returns the text', { text: { type: 'string' } }),
  tool('blob', 'Returns so many bytes', { bytes: { type: 'integer' } }),
]
const run = {
  echo: ({ text }) => text,
  blob: ({ bytes }) => 'x'.repeat(bytes),
}
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: args }) => ({
    content: [{ type: 'text', text: run[name](args) }],
  }),
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const body = answer
    ? { result: answer(params) }
    : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...body })}\n`)
}
