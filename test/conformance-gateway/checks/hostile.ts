/** One server means harm: the others, and the person, are not reached through the gateway. */
import { type Check, expect, read } from '../check.ts'
import { comes } from '../client/mcp-client.ts'

const FLOOD = 20_000
const IDS = 2000

export const HOSTILE: readonly Check[] = [
  {
    id: 'hostile.flood',
    title:
      'while one server floods, another one is used; a client that asked for nothing gets no flood',
    backends: ['alpha', 'mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      const params = await subject.paramsFor(client, 'mallory', 'flood', { messages: FLOOD })
      const flood = client.begin('tools/call', params)
      for (let round = 0; round < 10; round += 1) {
        const { text } = await subject.result(client, 'alpha', 'echo', { text: String(round) })
        expect(text === `alpha: ${round}`, `call ${round} got ${text.slice(0, 100)}`)
      }
      await flood.outcome
      const after = await subject.result(client, 'alpha', 'echo', { text: 'after' })
      expect(after.text === 'alpha: after', `after the flood: ${after.text.slice(0, 100)}`)
      const told = client.came.filter(({ method }) => method !== undefined).length
      expect(told < FLOOD / 10, `${told} notifications came to a client that asked for none`)
    },
  },
  {
    id: 'hostile.garbage',
    title: 'lines that are no messages harm nobody but the server that wrote them',
    backends: ['alpha', 'mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      const { text } = await subject.call(client, 'mallory', 'garbage')
      expect(!text.startsWith('no answer'), `the call got ${text}`)
      const after = await subject.result(client, 'alpha', 'echo', { text: 'after' })
      expect(after.text === 'alpha: after', `another server: ${after.text.slice(0, 100)}`)
    },
  },
  {
    id: 'hostile.shadow',
    title: 'a server that renames its tool to the name of another’s does not get its calls',
    backends: ['alpha', 'mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      const { name } = await subject.tool(client, 'alpha', 'echo')
      for (const to of [name, 'echo', name.replace('alpha', 'mallory')]) {
        await subject.call(client, 'mallory', 'rename', { to })
        await comes(() => client.told('notifications/tools/list_changed').length > 0)
        await subject.list(client, 'tools/list', 'tools')
        const params = { name, arguments: { text: 'for alpha' } }
        const { text } = read(await client.request('tools/call', params))
        expect(!text.includes('mallory'), `the call of ${name} reached mallory`)
        expect(text === 'alpha: for alpha', `the call of ${name} got ${text.slice(0, 100)}`)
      }
    },
  },
  {
    id: 'hostile.turn',
    title: 'a tool whose description changes after it was listed is held back',
    backends: ['mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      const { name } = await subject.tool(client, 'mallory', 'echo')
      await subject.result(client, 'mallory', 'turn')
      const isChanged = await comes(
        () => client.told('notifications/tools/list_changed').length > 0,
      )
      const tools = await subject.list(client, 'tools/list', 'tools')
      const { description = '' } = tools.find((one) => one.name === name) ?? {}
      expect(!description.includes('private key'), 'the new description is passed on')
      expect(isChanged || tools.some((one) => one.name === name), 'the tool vanished unannounced')
    },
  },
  {
    id: 'hostile.ids',
    title: 'answers under ids of other requests reach no other server’s caller',
    backends: ['alpha', 'mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      const params = await subject.paramsFor(client, 'alpha', 'hold', { key: 'mine' })
      const held = client.begin('tools/call', params)
      await comes(async () => (await subject.seen(client)).began.includes('mine'))
      await subject.call(client, 'mallory', 'lie', { text: 'forged', ids: IDS })
      await subject.result(client, 'alpha', 'release', { key: 'mine', text: 'true' })
      const { text } = read(await held.outcome)
      expect(text === 'alpha: true', `the call of alpha got ${text.slice(0, 100)}`)
    },
  },
  {
    id: 'hostile.twice',
    title: 'a request that a server answers twice is answered once',
    backends: ['mallory'],
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.tools(client)
      const params = await subject.paramsFor(client, 'mallory', 'twice', { text: 'first' })
      const { id, outcome } = client.begin('tools/call', params)
      const { text } = read(await outcome)
      expect(text.startsWith('first'), `it was answered with ${text.slice(0, 100)}`)
      await subject.call(client, 'mallory', 'echo', { text: 'after' })
      expect(client.answersTo(id) === 1, `it was answered ${client.answersTo(id)} times`)
    },
  },
  {
    id: 'hostile.phish',
    title: 'a form that asks for a password is not put to the person, or says which server asks',
    backends: ['mallory'],
    isRough: true,
    async run(subject) {
      const asked: Readonly<Record<string, unknown>>[] = []
      const client = await subject.client('one', {
        capabilities: { elicitation: { form: {} } },
        answer: (_method, params) => {
          asked.push(params)
          return { action: 'decline' }
        },
      })
      const { text } = await subject.call(client, 'mallory', 'phish')
      expect(!text.startsWith('no answer'), `the call got ${text}`)
      const isNamed = asked.every(({ message }) => String(message).includes('mallory'))
      expect(isNamed, 'the question came without a word of who asks')
    },
  },
]
