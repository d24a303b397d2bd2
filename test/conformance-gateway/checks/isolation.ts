/** Two clients at once, with equal ids and tokens: nothing of one reaches the other. */
import { type Check, expect, NotApplicable, read } from '../check.ts'
import { INITIALIZE, post, request, targetOf } from '../client/by-hand.ts'
import { comes, type McpClient } from '../client/mcp-client.ts'
import { noteUri } from './features.ts'

type Subject = Parameters<Check['run']>[0]

const NAMES = ['one', 'two'] as const

async function both(
  subject: Subject,
  options: Parameters<Subject['client']>[1] = {},
): Promise<readonly [McpClient, McpClient]> {
  return [await subject.client('one', options), await subject.client('two', options)]
}

/** Neither has seen a word of the other. */
function expectApart(clients: readonly [McpClient, McpClient], canaryOf: (name: string) => string) {
  const [one, two] = clients
  expect(!one.hasSeen(canaryOf('two')), 'client one has seen something of client two')
  expect(!two.hasSeen(canaryOf('one')), 'client two has seen something of client one')
}

export const ISOLATION: readonly Check[] = [
  {
    id: 'isolation.results',
    title: 'equal request ids of two clients get their own results',
    needs: 'two clients',
    async run(subject) {
      const clients = await both(subject)
      const canaryOf = (name: string): string => `canary-of-${name}`
      const calls = NAMES.flatMap((name, at) => {
        const client = clients[at] as McpClient
        return Array.from({ length: 20 }, async (_, round) => {
          const text = `${canaryOf(name)}-${round}`
          const params = await subject.paramsFor(client, 'alpha', 'echo', { text })
          const called = read(await client.request('tools/call', params, 1000 + round))
          expect(called.text === `alpha: ${text}`, `${name} got ${called.text.slice(0, 100)}`)
        })
      })
      await Promise.all(calls)
      expectApart(clients, canaryOf)
    },
  },
  {
    id: 'isolation.progress',
    title: 'equal progress tokens of two clients get their own progress',
    needs: 'two clients',
    async run(subject) {
      const clients = await both(subject)
      const canaryOf = (name: string): string => `progress-of-${name}`
      const calls = NAMES.map(async (name, at) => {
        const client = clients[at] as McpClient
        const args = { steps: 3, words: canaryOf(name) }
        const params = await subject.paramsFor(client, 'alpha', 'progress', args)
        await client.request('tools/call', { ...params, _meta: { progressToken: 7 } }, 500)
      })
      await Promise.all(calls)
      const isTold = clients.some((client) => client.told('notifications/progress').length > 0)
      if (!isTold) throw new NotApplicable('it passes no progress on')
      expectApart(clients, canaryOf)
    },
  },
  {
    id: 'isolation.logs',
    title: 'log messages of one client’s call do not reach the other',
    needs: 'two clients',
    async run(subject) {
      const clients = await both(subject)
      const [one, two] = clients
      for (const client of clients) {
        const { kind } = await client.request('logging/setLevel', { level: 'debug' })
        if (kind !== 'result') throw new NotApplicable('it passes no log messages on')
      }
      const params = await subject.paramsFor(two, 'alpha', 'hold', { key: 'log' })
      const held = two.begin('tools/call', params)
      await comes(async () => (await subject.seen(two)).began.includes('log'))
      await subject.result(one, 'alpha', 'log', { level: 'error', text: 'logged-for-one' })
      await subject.result(two, 'alpha', 'release', { key: 'log', text: 'end' })
      await held.outcome
      expect(!two.hasSeen('logged-for-one'), 'client two was told what client one’s call logged')
    },
  },
  {
    id: 'isolation.updates',
    title: 'an update is told to the client that subscribed, and to no other',
    needs: 'two clients',
    async run(subject) {
      const [one, two] = await both(subject)
      const uri = await noteUri(subject, one).catch(() => 'none')
      const { kind } = await one.request('resources/subscribe', { uri })
      if (kind !== 'result') throw new NotApplicable('it takes no subscriptions')
      await subject.result(one, 'alpha', 'touch', { id: 'one' })
      const isTold = await comes(() => one.told('notifications/resources/updated').length > 0)
      expect(isTold, 'the subscriber was not told')
      await subject.result(two, 'alpha', 'echo', { text: 'after' })
      expect(two.told('notifications/resources/updated').length === 0, 'the other was told too')
    },
  },
  {
    id: 'isolation.questions',
    title: 'a question is put to the client whose call it belongs to',
    needs: 'two clients',
    async run(subject) {
      const [one, two] = await both(subject, {
        capabilities: { elicitation: { form: {} } },
        answer: () => ({ action: 'accept', content: { colour: 'red' } }),
      })
      await subject.call(one, 'alpha', 'ask', { words: 'question-for-one' })
      if (!one.hasSeen('question-for-one')) throw new NotApplicable('it passes no questions on')
      await subject.result(two, 'alpha', 'echo', { text: 'after' })
      expect(!two.hasSeen('question-for-one'), 'the other client was asked')
    },
  },
  {
    id: 'isolation.cancellation',
    title: 'a client cannot cancel another client’s request by its id',
    needs: 'two clients',
    async run(subject) {
      const [one, two] = await both(subject)
      const params = await subject.paramsFor(one, 'alpha', 'hold', { key: 'kept' })
      const held = one.begin('tools/call', params, 4711)
      await comes(async () => (await subject.seen(one)).began.includes('kept'))
      await two.notify('notifications/cancelled', { requestId: 4711 })
      await subject.result(two, 'alpha', 'echo', { text: 'after' })
      await subject.result(one, 'alpha', 'release', { key: 'kept', text: 'whole' })
      const { text } = read(await held.outcome)
      expect(text === 'alpha: whole', `the call ended with: ${text.slice(0, 200)}`)
    },
  },
  {
    id: 'isolation.sessions',
    title: 'one principal cannot use another’s session',
    needs: 'principals',
    async run(subject) {
      const [one, two] = NAMES.map((name) => targetOf(subject, name))
      expect(one !== undefined && two !== undefined, 'there is no HTTP')
      const begun = await post(one, INITIALIZE)
      const session = begun.headers['mcp-session-id']
      if (typeof session !== 'string') throw new NotApplicable('it has no sessions')
      const stolen = await post(two, request('tools/list'), { 'Mcp-Session-Id': session })
      expect(stolen.status >= 400, `it was answered with HTTP ${stolen.status}`)
    },
  },
]
