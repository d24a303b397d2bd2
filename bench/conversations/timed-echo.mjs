/**
 * A server with two tools that says with each result how long it took: from the line that asked to the line that
 * answers. Nothing else than that is a tool's own time.
 */
import { createInterface } from 'node:readline'

const inputSchema = (properties, required) => ({ type: 'object', properties, required })
const tools = [
  {
    name: 'echo',
    description: 'Returns the text',
    inputSchema: inputSchema({ text: { type: 'string' } }, ['text']),
  },
  {
    name: 'sum',
    description: 'Adds',
    inputSchema: inputSchema({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    outputSchema: inputSchema({ total: { type: 'number' } }, ['total']),
  },
]

const run = {
  echo: ({ text }, took) => ({ content: [{ type: 'text', text: `${text} in ${took()} ms` }] }),
  sum: ({ a, b }) => ({ content: [], structuredContent: { total: a + b } }),
}

const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'echo', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given = {} }, took) => run[name](given, took),
}

for await (const line of createInterface({ input: process.stdin })) {
  const began = performance.now()
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) continue
  const answer = answers[method]
  const took = () => (performance.now() - began).toFixed(3)
  const body = answer
    ? { result: answer(params, took) }
    : { error: { code: -32601, message: `There is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ ...body, jsonrpc: '2.0', id })}\n`)
}
