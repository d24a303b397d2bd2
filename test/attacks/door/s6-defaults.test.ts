/**
 * Defaults that bite. The servers are defined as a person or a connection would, without a word about a level; facts and
 * labels are computed by the host's own code. In each control the owner calls the source `internal`, as every server
 * once began, and the same data goes to the other server in silence.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHouse, type House } from '../../../bench/agentdojo/fake-house.ts'
import { KNOWN_SERVICES } from '../../../src/catalog/known-services.ts'
import { strangerService } from '../../../src/catalog/stranger-service.ts'
import { readDefinition } from '../../../src/definitions/read-definition.ts'
import { callTool } from '../../../src/kernel/call-tool.ts'
import { ownCall } from '../../../src/kernel/own-call.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { never } from '../../../src/kernel/test-never.ts'
import type { Verdict } from '../../../src/kernel/tool-call.ts'
import type { ToolId } from '../../../src/kernel/tool-id.ts'
import { OWN_WORDS } from '../../../src/labels/label.ts'
import { Labelled } from '../../../src/labels/labelled.ts'
import { readManifest } from '../../../src/servers/life/manifest.ts'
import { createFacts } from '../../../src/servers/life/tool-facts.ts'
import { labelOf } from '../../../src/servers/tools/output-labels.ts'

const TEXT = { type: 'object', properties: { text: { type: 'string' } } } as const
const SECRET_PLAN = 'the merger is on Friday'

/** A server in the file that its owner wrote, or that a connection wrote. */
function defined(id: string, more = ''): ServerDefinition {
  const text = `url = "https://${id}.example.com/mcp"\n${more}
[tools.read]
semantics = "read"
[tools.write]
semantics = "write"
`
  const read = readDefinition(`/home/mcp/${id}.toml`, text, '/home')
  assert.ok(read.kind === 'definition', JSON.stringify(read))
  return read.definition
}

interface Door {
  readonly house: House
  /** The verdict on a write of the whole answer of `from` to `to`. */
  send(from: string, to: string, tool?: 'read' | 'write'): Promise<Verdict | undefined>
}

function openDoor(...definitions: readonly ServerDefinition[]): Door {
  const factsOf = createFacts()
  const names = ['read', 'write']
  const { tools } = readManifest(
    names.map((name) => ({ name, inputSchema: TEXT })),
    undefined,
  )
  const of = ({ server }: ToolId): ServerDefinition =>
    definitions.find(({ id }) => id === server) ?? assert.fail()
  const house = createHouse({
    facts: (id) => factsOf({ definition: of(id) }, tools.get(id.name) ?? assert.fail()),
    answer: ({ tool }) => {
      const label = labelOf(of(tool))
      return { value: SECRET_PLAN, label, labels: { label } }
    },
    owner: () => false,
  })
  const call = async (server: string, name: string, text: Labelled) => {
    const request = ownCall(OWNER, { server: parseServerId(server), name }, {})
    const result = await callTool(house.rooms, { ...request, args: { text } }, never)
    return { result, verdict: house.verdicts.get(request.callId) }
  }
  return {
    house,
    async send(from, to, tool = 'write') {
      const { result } = await call(from, 'read', new Labelled('all', { label: OWN_WORDS }))
      assert.ok(result.kind === 'ok', result.kind)
      return (await call(to, tool, result.value)).verdict
    },
  }
}

const asked = (verdict: Verdict | undefined): string =>
  verdict?.kind === 'ask' ? `${verdict.rule} offers ${verdict.offers.join()}` : `${verdict?.rule}`

test('S6: POLICY-7: data of one server that nobody labelled is not written to another unasked', async () => {
  const door = openDoor(defined('notes'), defined('chat'))
  assert.equal(asked(await door.send('notes', 'chat')), 'flow offers flow')
  assert.equal(asked(await door.send('notes', 'chat', 'read')), 'flow offers flow')
  assert.equal(door.house.reached.filter(({ tool }) => tool.server === 'chat').length, 0)
  assert.equal(asked(await door.send('notes', 'notes')), 'write.content', 'back to where it came')

  const control = openDoor(defined('notes', 'label = "internal"'), defined('chat'))
  assert.equal(asked(await control.send('notes', 'chat')), 'write.content')
  assert.deepEqual(control.house.reached.at(-1)?.args, { text: SECRET_PLAN })
})

test('S6: POLICY-7: two accounts of one service are two servers: the mail of one is not told to the other', async () => {
  const source = 'source = { kind = "catalog", name = "gmail" }'
  const work = defined('gmail-work', source)
  const home = defined('gmail-home', source)
  const door = openDoor(work, home)
  assert.equal(asked(await door.send('gmail-work', 'gmail-home')), 'flow offers flow')
  assert.equal(asked(await door.send('gmail-work', 'gmail-home', 'read')), 'flow offers flow')
  assert.equal(door.house.reached.filter(({ tool }) => tool.server === 'gmail-home').length, 0)
  assert.equal(asked(await door.send('gmail-work', 'gmail-work')), 'write.content')
})

test('S6: a stranger from a registry or a pasted line begins as confidential', async () => {
  const { label } = strangerService({
    slug: parseServerId('tracker'),
    title: 'Tracker',
    origin: 'pasted',
    source: { kind: 'manual' },
    launch: { kind: 'remote', url: 'https://tracker.example.com/mcp', transport: 'stream-http' },
  })
  const door = openDoor(defined('tracker', `label = "${label}"`), defined('chat'))
  assert.equal(asked(await door.send('tracker', 'chat')), 'flow offers flow')

  const control = openDoor(defined('tracker', 'label = "internal"'), defined('chat'))
  assert.equal(asked(await control.send('tracker', 'chat')), 'write.content')
})

/** Services with public answers, or without any data of their owner. */
const OPEN = new Set(
  `airbnb brave-search chrome-devtools context7 everything exa fetch firecrawl perplexity
  perplexity-remote playwright puppeteer sequential-thinking tavily tavily-remote`.split(/\s+/),
)

for (const { slug, label } of KNOWN_SERVICES.filter((one) => !OPEN.has(one.slug))) {
  test(`S6: what ${slug} says does not go to another server unasked`, async () => {
    const door = openDoor(defined(slug, `label = "${label}"`), defined('chat'))
    assert.match(asked(await door.send(slug, 'chat')), /^flow/)
    const control = openDoor(defined(slug, 'label = "internal"'), defined('chat'))
    assert.equal(asked(await control.send(slug, 'chat')), 'write.content')
  })
}

test('S6: only services without anything private begin lower', () => {
  const low = KNOWN_SERVICES.filter(({ label }) => label === 'public' || label === 'internal')
  assert.deepEqual(new Set(low.map(({ slug }) => slug)), OPEN)
})
