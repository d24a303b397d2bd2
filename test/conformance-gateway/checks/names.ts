/** Names of tools: models’ APIs take 64 characters, and two servers may have the same. */
import { type Check, expect, named, read } from '../check.ts'
import { comes } from '../client/mcp-client.ts'

const MOST = 64
const LISTS = ['tools', 'prompts', 'resources']

export const NAMES: readonly Check[] = [
  {
    id: 'names.length',
    title: 'no listed name is longer than 64 characters, and none is listed twice',
    async run(subject) {
      const client = await subject.client()
      const names = (await subject.tools(client)).map(({ name }) => name)
      const longest = names.toSorted((a, b) => b.length - a.length)[0] ?? ''
      expect(longest.length <= MOST, `a name has ${longest.length} characters`)
      expect(new Set(names).size === names.length, 'two tools are listed under one name')
    },
  },
  {
    id: 'names.truncation',
    title: 'two names of 64 characters that differ in the last one stay two tools',
    async run(subject) {
      const client = await subject.client()
      const long = (await subject.tools(client)).filter(({ name }) => name.includes('long_'))
      const outcomes = await Promise.all(
        long.map(({ name }) => client.request('tools/call', { name, arguments: {} })),
      )
      const texts = outcomes.map((outcome) => read(outcome).text)
      for (const end of ['a', 'b']) {
        const count = texts.filter((text) => text === `alpha: ${end}`).length
        expect(count === 1, `the tool that ends in ${end} is called by ${count} names`)
      }
    },
  },
  {
    id: 'names.collision',
    title: 'equal names of two servers are two tools, and each call reaches its own',
    backends: ['alpha', 'beta'],
    async run(subject) {
      const client = await subject.client()
      for (const backend of ['alpha', 'beta'] as const) {
        const { text } = await subject.result(client, backend, 'echo', { text: 'x' })
        expect(text === `${backend}: x`, `${backend} was answered with ${text.slice(0, 100)}`)
      }
    },
  },
  {
    id: 'names.list-changes',
    title: 'changed lists are told, and the new prompt and resource are there',
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      for (const list of LISTS) await client.request(`${list}/list`)
      await subject.result(client, 'alpha', 'grow')
      for (const list of LISTS) {
        const method = `notifications/${list}/list_changed`
        expect(await comes(() => client.told(method).length > 0), `${method} never came`)
      }
      for (const list of ['prompts', 'resources']) {
        const isThere = await comes(async () =>
          (await subject.list(client, `${list}/list`, list)).some(({ name }) =>
            name.endsWith('grown'),
          ),
        )
        expect(isThere, `the new one of the ${list} is not listed`)
      }
    },
  },
  {
    id: 'names.new-tool',
    title: 'a tool that a server adds later is listed and called',
    isRough: true,
    async run(subject) {
      const client = await subject.client()
      await subject.result(client, 'alpha', 'grow')
      const isThere = await comes(
        async () => named(await subject.tools(client), 'alpha', 'grown') !== undefined,
      )
      expect(isThere, 'it is not listed')
      const { text } = await subject.result(client, 'alpha', 'grown')
      expect(text === 'alpha: grown', `it was answered with ${text.slice(0, 100)}`)
    },
  },
]
