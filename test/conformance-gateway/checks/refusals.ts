/** A refused request is answered, and no server hears of it. */
import { type Check, expect, NotApplicable, read, shown } from '../check.ts'
import { INITIALIZE, post, request, targetOf } from '../client/by-hand.ts'

/** Methods that a gateway may lack, and ones that nobody has: each wants an answer. */
const METHODS: Readonly<Record<string, object>> = {
  ping: {},
  'nonsense/method': {},
  'tasks/list': {},
  'tasks/get': { taskId: 'none' },
  'roots/list': {},
  'sampling/createMessage': { messages: [], maxTokens: 1 },
  'elicitation/create': { message: 'x', requestedSchema: { type: 'object', properties: {} } },
  'server/discover': {},
  'resources/read': { uri: 'none://at/all' },
  'resources/subscribe': { uri: 'none://at/all' },
  'resources/unsubscribe': { uri: 'none://at/all' },
  'resources/templates/list': {},
  'prompts/get': { name: 'none' },
  'completion/complete': {
    ref: { type: 'ref/prompt', name: 'none' },
    argument: { name: 'a', value: '' },
  },
  'logging/setLevel': { level: 'nonsense' },
  'tools/call': { name: 'none' },
  'tools/list': { cursor: 'nonsense' },
}

export const REFUSALS: readonly Check[] = [
  {
    id: 'refusals.answered',
    title: 'every request is answered, whatever its method: nothing is dropped silently',
    async run(subject) {
      const client = await subject.client()
      const outcomes = await Promise.all(
        Object.entries(METHODS).map(async ([method, params]) => ({
          method,
          outcome: await client.request(method, params),
        })),
      )
      const silent = outcomes.filter(({ outcome }) => outcome.kind === 'none')
      expect(
        silent.length === 0,
        silent.map(({ method, outcome }) => `${method}: ${shown(outcome)}`).join('; '),
      )
    },
  },
  {
    id: 'refusals.unknown-method',
    title: 'an unknown method is answered with an error',
    async run(subject) {
      const client = await subject.client()
      const outcome = await client.request('nonsense/method')
      expect(outcome.kind === 'error', `it was answered with ${shown(outcome)}`)
    },
  },
  {
    id: 'refusals.unknown-tool',
    title: 'a call of an unknown tool is refused, and reaches no server',
    async run(subject) {
      const client = await subject.client()
      const listed = await subject.tool(client, 'alpha', 'echo')
      const name = listed.name.replace(/echo$/, 'nonexistent')
      const { isError } = read(await client.request('tools/call', { name, arguments: {} }))
      expect(isError, 'it was answered with a result')
      const { calls } = await subject.seen(client)
      const reached = Object.keys(calls).filter((one) => one.includes('nonexistent'))
      expect(reached.length === 0, 'the server was called')
    },
  },
  {
    id: 'refusals.no-token',
    title:
      'a request without a token, or with a wrong one, is answered with 401 and reaches no server',
    needs: 'principals',
    async run(subject) {
      const target = targetOf(subject, 'one')
      const client = await subject.client()
      const before = await subject.seen(client)
      const params = await subject.paramsFor(client, 'alpha', 'echo', { text: 'stolen' })
      for (const Authorization of [undefined, 'Bearer wrong']) {
        for (const body of [INITIALIZE, request('tools/call', params)]) {
          const { status } = await post(target, body, { Authorization })
          expect(status === 401, `it was answered with HTTP ${status}`)
        }
      }
      const after = await subject.seen(client)
      expect(before.calls['echo'] === after.calls['echo'], 'the server was called')
    },
  },
  {
    id: 'refusals.foreign-host',
    title: 'a foreign Host or Origin (DNS rebinding) is refused',
    needs: 'http',
    async run(subject) {
      const target = targetOf(subject, 'one')
      if (!/^https?:\/\/(?:127\.|localhost|\[::1\])/.test(target.url)) {
        throw new NotApplicable('it does not listen on the loopback interface')
      }
      for (const header of [{ Host: 'evil.example' }, { Origin: 'http://evil.example' }]) {
        const { status } = await post(target, INITIALIZE, header)
        const [name] = Object.keys(header)
        expect(status >= 400, `a foreign ${name} was answered with HTTP ${status}`)
      }
    },
  },
  {
    id: 'refusals.headers',
    title: 'a version that nobody speaks and a body that is not JSON are refused with 400',
    needs: 'http',
    async run(subject) {
      const target = targetOf(subject, 'one')
      const begun = await post(target, INITIALIZE)
      const session = begun.headers['mcp-session-id']
      const own = typeof session === 'string' ? { 'Mcp-Session-Id': session } : {}
      const version = { ...own, 'MCP-Protocol-Version': '1999-01-01' }
      const older = await post(target, request('tools/list'), version)
      expect(older.status === 400, `the version was answered with HTTP ${older.status}`)
      const broken = await post(target, '{"jsonrpc":', own)
      expect(broken.status === 400, `the broken body was answered with HTTP ${broken.status}`)
    },
  },
]
