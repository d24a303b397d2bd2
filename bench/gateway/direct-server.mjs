/** The limit: the same tool served over HTTP directly, without an SDK, a gateway or a check. `node direct-server.mjs PORT` */
import { createServer } from 'node:http'

const tools = [
  {
    name: 'echo',
    description: 'Returns the text',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] },
  },
  { name: 'blob', description: 'Returns so many bytes', inputSchema: { type: 'object' } },
]
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'direct', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: { text, bytes } }) => ({
    content: [{ type: 'text', text: name === 'echo' ? text : 'x'.repeat(bytes) }],
  }),
}

createServer((request, response) => {
  const chunks = []
  request.on('data', (chunk) => chunks.push(chunk))
  request.on('end', () => {
    const { id, method, params } = JSON.parse(Buffer.concat(chunks).toString())
    if (id === undefined) {
      response.writeHead(202).end()
      return
    }
    const body = JSON.stringify({ jsonrpc: '2.0', id, result: answers[method]?.(params) ?? {} })
    response.writeHead(200, {
      'Content-Type': 'application/json',
      'Content-Length': Buffer.byteLength(body),
    })
    response.end(body)
  })
}).listen(Number(process.argv[2]), '127.0.0.1')
