/** Every feature of MCP passes through a gateway, in both directions. */
import { type Check, expect, named, read, shown } from '../check.ts'
import { comes } from '../client/mcp-client.ts'

const ELICITS = { elicitation: { form: {} } }

export const FEATURES: readonly Check[] = [
  {
    id: 'features.tools',
    title: 'a tool is listed and called',
    async run(subject) {
      const client = await subject.client()
      const { text } = await subject.result(client, 'alpha', 'echo', { text: 'hello' })
      expect(text === 'alpha: hello', `answered ${text.slice(0, 100)}`)
    },
  },
  {
    id: 'features.structured',
    title: 'a structured result and its schema arrive',
    async run(subject) {
      const client = await subject.client()
      const { result } = await subject.result(client, 'alpha', 'structured', { count: 3 })
      const given = JSON.stringify(result['structuredContent'])
      expect(given === '{"server":"alpha","count":3}', `structuredContent is ${given}`)
      const tool = await subject.tool(client, 'alpha', 'structured')
      expect(tool.outputSchema !== undefined, 'the tool is listed without its outputSchema')
    },
  },
  {
    id: 'features.content',
    title: 'images, audio, links and embedded resources arrive',
    async run(subject) {
      const client = await subject.client()
      const { content } = await subject.result(client, 'alpha', 'rich')
      const types = content.map(({ type }) => String(type)).join(' ')
      expect(types === 'text image audio resource_link resource', `content is ${types}`)
    },
  },
  {
    id: 'features.annotations',
    title: 'a tool that reads and one that destroys are listed as such',
    async run(subject) {
      const client = await subject.client()
      const { annotations: reads } = await subject.tool(client, 'alpha', 'echo')
      expect(reads?.['readOnlyHint'] === true, `echo is listed with ${JSON.stringify(reads)}`)
      const { annotations: destroys } = await subject.tool(client, 'alpha', 'delete_all')
      const isMarked = destroys?.['destructiveHint'] === true && destroys['readOnlyHint'] !== true
      expect(isMarked, `delete_all is listed with ${JSON.stringify(destroys)}`)
    },
  },
  {
    id: 'features.call-meta',
    title: '_meta of a call reaches the server',
    async run(subject) {
      const client = await subject.client()
      const params = await subject.paramsFor(client, 'alpha', 'meta')
      const _meta = { 'example.com/trace': 'abc' }
      const { text } = read(await client.request('tools/call', { ...params, _meta }))
      const isThere = text.includes('"example.com/trace":"abc"')
      expect(isThere, `the server was given ${text.slice(0, 100)}`)
    },
  },
  {
    id: 'features.result-meta',
    title: '_meta of a result reaches the client',
    async run(subject) {
      const client = await subject.client()
      const { result } = await subject.result(client, 'alpha', 'meta')
      const given = JSON.stringify(result['_meta'] ?? {})
      expect(given.includes('"shade":"alpha"'), `the result came with ${given}`)
    },
  },
  {
    id: 'features.errors',
    title: 'a failed call says so, in the words of the server',
    async run(subject) {
      const client = await subject.client()
      for (const [tool, words] of [
        ['fails', 'could not do it'],
        ['breaks', 'alpha broke'],
      ] as const) {
        const { isError, text } = await subject.call(client, 'alpha', tool)
        expect(isError && text.includes(words), `${tool} answered ${text.slice(0, 200)}`)
      }
    },
  },
  {
    id: 'features.resources',
    title: 'resources are listed and read',
    async run(subject) {
      const client = await subject.client()
      const uri = await noteUri(subject, client)
      const outcome = await client.request('resources/read', { uri })
      expect(shown(outcome).includes('alpha note one'), `resources/read: ${shown(outcome)}`)
    },
  },
  {
    id: 'features.templates',
    title: 'templates are listed, and what they expand to is read',
    async run(subject) {
      const client = await subject.client()
      const templates = await subject.list(client, 'resources/templates/list', 'resourceTemplates')
      const template = templates.find(({ uriTemplate }) => uriTemplate?.includes('alpha'))
      expect(template?.uriTemplate !== undefined, 'the template is not listed')
      const uri = template.uriTemplate.replace('{id}', 'other')
      const outcome = await client.request('resources/read', { uri })
      expect(shown(outcome).includes('alpha note other'), `resources/read: ${shown(outcome)}`)
    },
  },
  {
    id: 'features.subscriptions',
    title: 'a subscribed resource that changes is told',
    async run(subject) {
      const client = await subject.client()
      const uri = await noteUri(subject, client)
      const outcome = await client.request('resources/subscribe', { uri })
      expect(outcome.kind === 'result', `resources/subscribe: ${shown(outcome)}`)
      await subject.result(client, 'alpha', 'touch', { id: 'one' })
      const isTold = await comes(() =>
        client.told('notifications/resources/updated').some((params) => params['uri'] === uri),
      )
      expect(isTold, 'notifications/resources/updated never came')
    },
  },
  {
    id: 'features.prompts',
    title: 'prompts are listed and given',
    async run(subject) {
      const client = await subject.client()
      const name = await promptName(subject, client)
      const outcome = await client.request('prompts/get', { name, arguments: { who: 'Ada' } })
      expect(shown(outcome).includes('alpha greets Ada'), `prompts/get: ${shown(outcome)}`)
    },
  },
  {
    id: 'features.completion',
    title: 'arguments of prompts are completed',
    async run(subject) {
      const client = await subject.client()
      const ref = { type: 'ref/prompt', name: await promptName(subject, client) }
      const argument = { name: 'who', value: 'b' }
      const outcome = await client.request('completion/complete', { ref, argument })
      expect(shown(outcome).includes('"bert"'), `completion/complete: ${shown(outcome)}`)
    },
  },
  {
    id: 'features.logging',
    title: 'log messages from the wanted level on arrive',
    async run(subject) {
      const client = await subject.client()
      const outcome = await client.request('logging/setLevel', { level: 'warning' })
      expect(outcome.kind === 'result', `logging/setLevel: ${shown(outcome)}`)
      await subject.result(client, 'alpha', 'log', { level: 'error', text: 'overheard' })
      expect(await comes(() => client.hasSeen('overheard')), 'the message never came')
    },
  },
  {
    id: 'features.progress',
    title: 'every step of progress arrives, under the token of the call',
    async run(subject) {
      const client = await subject.client()
      const params = await subject.paramsFor(client, 'alpha', 'progress', {
        steps: 3,
        words: 'step',
      })
      const _meta = { progressToken: 'mine' }
      const { isError, text } = read(await client.request('tools/call', { ...params, _meta }))
      expect(!isError, `the call failed: ${text.slice(0, 200)}`)
      const told = client.told('notifications/progress')
      expect(told.length >= 3, `${told.length} of 3 steps came`)
      const isOwn = told.every(({ progressToken }) => progressToken === 'mine')
      expect(isOwn, `under the token ${JSON.stringify(told[0]?.['progressToken'])}`)
      const values = told.map(({ progress }) => Number(progress))
      const isRising = values.every((value, at) => at === 0 || value > (values[at - 1] ?? 0))
      expect(isRising, `progress does not rise: ${values.join(' ')}`)
    },
  },
  {
    id: 'features.cancellation',
    title: 'a cancelled call is cancelled at the server',
    async run(subject) {
      const client = await subject.client()
      const key = 'to-be-cancelled'
      const params = await subject.paramsFor(client, 'alpha', 'hold', { key })
      const { id } = client.begin('tools/call', params)
      const began = await comes(async () => (await subject.seen(client)).began.includes(key))
      expect(began, 'the call never reached the server')
      const before = (await subject.seen(client)).cancelled.length
      await client.notify('notifications/cancelled', { requestId: id })
      const isCancelled = await comes(
        async () => (await subject.seen(client)).cancelled.length > before,
      )
      expect(isCancelled, 'the server was not told')
    },
  },
  {
    id: 'features.elicitation',
    title: 'a question of a server reaches the client, and its answer the server',
    async run(subject) {
      const asked: unknown[] = []
      const client = await subject.client('one', {
        capabilities: ELICITS,
        answer: (_method, params) => {
          asked.push(params)
          return { action: 'accept', content: { colour: 'red' } }
        },
      })
      const { text } = await subject.result(client, 'alpha', 'ask', { words: 'Which colour?' })
      expect(JSON.stringify(asked).includes('Which colour?'), 'the client was not asked')
      const isWhole = text.includes('"accept"') && text.includes('"red"')
      expect(isWhole, `the server was answered ${text.slice(0, 200)}`)
    },
  },
  {
    id: 'features.unasked',
    title: 'a server that asks a client without that capability gets an answer, not silence',
    async run(subject) {
      const client = await subject.client()
      for (const tool of ['ask_model', 'ask_roots']) {
        const { isError, text } = await subject.call(client, 'alpha', tool)
        expect(!isError || !text.startsWith('no answer'), `${tool}: ${text.slice(0, 200)}`)
      }
    },
  },
]

type Subject = Parameters<Check['run']>[0]
type Client = Awaited<ReturnType<Subject['client']>>

export async function noteUri(subject: Subject, client: Client, id = 'one'): Promise<string> {
  const resources = await subject.list(client, 'resources/list', 'resources')
  const found = resources.find(({ uri }) => uri?.includes('alpha') && uri.endsWith(`note/${id}`))
  expect(found?.uri !== undefined, 'the resource is not listed')
  return found.uri
}

async function promptName(subject: Subject, client: Client): Promise<string> {
  const prompts = await subject.list(client, 'prompts/list', 'prompts')
  const found =
    prompts.find(({ description }) => description?.includes('Greets on alpha')) ??
    named(prompts, 'alpha', 'greet')
  expect(found !== undefined, 'the prompt is not listed')
  return found.name
}
