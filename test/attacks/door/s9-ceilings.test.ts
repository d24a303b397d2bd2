/**
 * Ceilings: a template's ceiling holds for answers too, a definition that its owner makes stricter by hand is stricter at
 * the next call, and the owner's own text of a task reaches the door, and nobody else's.
 */
import assert from 'node:assert/strict'
import { unlink } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createDefinitions } from '../../../src/definitions/create-definitions.ts'
import { openFakeDeps } from '../../../src/definitions/fake-deps.ts'
import type { Definitions } from '../../../src/kernel/ports.ts'
import type { Template } from '../../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../../src/kernel/tool-facts.ts'
import type { JsonObject } from '../../../src/text/json.ts'
import { define, never, openHouse, type TestHouse } from '../../servers/runtime/direct-sandbox.ts'
import {
  newFolder,
  openStoringHouse,
  type StoringTool,
  type StoringWishes,
} from './storing-house.ts'

const BODY = 'the results of the blood test'
const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['*'],
  denied: [],
  maxCalls: 10,
  ceiling: 'internal',
  sinks: [],
  asksForWrites: false,
}
const WITHIN = { template: 'nightly' } as const
const node = (id: string, type: string, params: JsonObject = {}) => ({ id, type, params })
const text = { text: 'content' } as const
const note: StoringTool = { effect: 'write', args: text, others: 'regulated', run: () => 'noted' }
const flow = [node('read', 'mail.read'), node('note', 'notes.add', { text: '${read.result}' })]

function wishes(read: Partial<StoringTool>, ceiling?: Template['ceiling']): StoringWishes {
  const mail = { effect: 'remote-read', run: () => BODY, ...read } as const
  return {
    folder: newFolder(),
    tools: { 'mail.read': mail, 'notes.add': note },
    template: { ...TEMPLATE, ...(ceiling && { ceiling }) },
  }
}

describe('the ceiling of a template', { concurrency: true }, () => {
  test('S9: a server whose answers are above it is not called at all', async () => {
    const read = { level: 'sensitive', serverLevel: 'sensitive' } as const
    await using house = await openStoringHouse(wishes(read))
    const alone = flow.slice(0, 1)
    const refused = /may not handle what is above internal, and mail is sensitive/
    await assert.rejects(house.run(alone, WITHIN), refused)
    assert.deepEqual(house.reached, [])
    // Control: a template that may handle it, and the same call is made.
    await using wider = await openStoringHouse(wishes(read, 'sensitive'))
    assert.equal((await wider.run(flow, WITHIN)).problem, undefined)
    assert.deepEqual(wider.reached.at(-1), ['notes.add', { text: BODY }])
  })

  test('S9: an answer that turns out to be above it is dropped, and that is on record', async () => {
    // The labels that the check knows say internal; the server says in this one answer that it is regulated.
    const one = wishes({})
    const mail = one.tools['mail.read'] as StoringTool
    const said = {
      ...one,
      tools: { ...one.tools, 'mail.read': { ...mail, says: 'regulated' } as const },
    }
    await using house = await openStoringHouse(said)
    const { problem } = await house.run(flow, WITHIN)
    assert.match(problem ?? '', /its answer is regulated and was dropped.*\(template\.ceiling\)/)
    assert.deepEqual(house.reached, [['mail.read', {}]])
    const [record] = house.records
    assert.ok(record?.result.kind === 'refused' && !JSON.stringify(record).includes(BODY))
    assert.equal(record.result.rule, 'template.ceiling')
    // Control: outside a template the owner may handle it.
    assert.equal((await house.run(flow)).problem, undefined)
    assert.deepEqual(house.reached.at(-1), ['notes.add', { text: BODY }])
  })

  test('S9: nor does it come out of the cache, or out of a file', async () => {
    const pure = { effect: 'remote-read', isReadOnly: true } as const
    const one = wishes(pure)
    const tools = {
      ...one.tools,
      'mail.read': { ...pure, run: () => BODY, says: 'regulated' } as const,
    }
    await using house = await openStoringHouse({ ...one, tools })
    const trust = { trust: ['pure'] } as const
    assert.equal((await house.run(flow, trust)).problem, undefined)
    const cached = await house.run(flow.slice(0, 1), { ...WITHIN, ...trust })
    assert.match(cached.problem ?? '', /template\.ceiling/)
    assert.equal((await house.run(flow, trust)).problem, undefined)
    const save = node('save', 'write-file', { path: 'a.txt', content: '${read.result}' })
    assert.equal((await house.run([node('read', 'mail.read'), save])).problem, undefined)
    const load = node('load', 'read-file', { path: 'a.txt' })
    assert.match((await house.run([load], WITHIN)).problem ?? '', /template\.ceiling/)
    assert.equal((await house.run([load])).problem, undefined)
  })
})

describe('a definition that is edited by hand', { concurrency: true }, () => {
  const { id, command = '', args } = define('box', 'echo')
  const FILE = `${id}.toml`
  const written = (more: string, top = ''): string =>
    `${top}label = "internal"\n[server]\ncommand = ${JSON.stringify(command)}\nargs = ${JSON.stringify(args)}\n${more}\n`

  interface Edited extends AsyncDisposable {
    readonly house: TestHouse
    write(text: string | undefined): Promise<void>
    know(name?: string): Promise<ToolFacts>
    level(): Promise<string>
  }

  /** Calls within ten milliseconds share one look at the file. */
  const LOOKED_AGAIN_MS = 30

  /** Real definitions and servers, without a sandbox. `isOld`: nobody looks at the file again. */
  async function openEdited(text: string, isOld = false): Promise<Edited> {
    await using stack = new AsyncDisposableStack()
    const deps = stack.use(await openFakeDeps())
    const file = path.join(deps.userFolder, FILE)
    await deps.put(file, text)
    const real = createDefinitions(deps)
    const definitions: Partial<Definitions> & Pick<Definitions, 'load'> = {
      load: () => real.load(),
      ...(!isOld && { stamp: (server) => real.stamp(server) }),
    }
    const house = stack.use(await openHouse([], { definitions }))
    const know = async (name = 'echo') => await house.servers.know({ server: id, name }, never)
    await know()
    const owned = stack.move()
    return {
      house,
      know,
      async write(next) {
        if (next === undefined) await unlink(file)
        else await deps.put(file, next)
        await pause(LOOKED_AGAIN_MS)
      },
      async level() {
        await know()
        const result = await house.call(id, 'echo', { text: 'hi' })
        return result.kind === 'ok' ? result.label.level : result.kind
      },
      [Symbol.asyncDispose]: () => owned.disposeAsync(),
    }
  }

  test('S9: a tool that is switched off, and a higher label, count at the next call', async () => {
    const stricter = written('[tools.echo]\nenabled = false').replace('internal', 'regulated')
    await using now = await openEdited(written(''))
    assert.equal(await now.level(), 'internal')
    await now.write(stricter)
    const facts = await now.know()
    assert.deepEqual([facts.blocked, facts.level], ['disabled', 'regulated'])
    assert.equal(await now.level(), 'refused')
    assert.equal(now.house.launches.length, 1, 'its process goes on')
    // Control: with definitions that are not looked at again, the edit waits for a restart.
    await using old = await openEdited(written(''), true)
    await old.write(stricter)
    assert.equal((await old.know()).blocked, undefined)
    assert.equal(await old.level(), 'internal')
  })

  test('S9: a weaker edit waits for the next start, also beside a stricter one', async () => {
    const before = written('[tools.echo]\nsemantics = "exec"\n[tools.echo.roles]\ntext = "target"')
    const after = written(
      '[tools.echo]\nsemantics = "read"\nfields = ["id"]\n[tools.echo.roles]\ntext = "content"\n[tools.slug]\nenabled = false',
    ).replace('internal', 'public')
    await using edited = await openEdited(before)
    await edited.write(after)
    const { effect, roles, level } = await edited.know()
    assert.deepEqual([effect, roles.get('text'), level], ['exec', 'target', 'internal'])
    assert.equal((await edited.know('slug')).blocked, 'disabled')
    await edited.house.servers.refresh()
    const loaded = await edited.know()
    assert.deepEqual([loaded.roles.get('text'), loaded.level], ['content', 'public'])
  })

  test('S9: without its file nothing is called; half a file changes nothing', async () => {
    await using edited = await openEdited(written(''))
    await edited.write('label = "inter')
    assert.equal((await edited.know()).blocked, undefined)
    await edited.write(undefined)
    assert.equal((await edited.know()).blocked, 'unknown')
    await edited.write(written(''))
    assert.equal((await edited.know()).blocked, undefined)
    assert.equal(await edited.level(), 'internal')
  })
})

test('S9: a link that the owner wrote stays as it is; one that was piped in, or that only a server wrote, does not', async () => {
  const [own, theirs, piped] = [
    'https://mine.example/a',
    'https://evil.example/b',
    'https://pipe.example/c',
  ]
  const read: StoringTool = { effect: 'remote-read', run: () => `${own} ${theirs} ${piped}` }
  const tools = { 'mail.read': read, 'notes.add': note }
  await using house = await openStoringHouse({ folder: newFolder(), tools })
  const sent = async (nodes: readonly JsonObject[]) => {
    await house.run(nodes, { stdin: piped, inputs: {} })
    return JSON.stringify(house.reached.at(-1)?.[1])
  }
  const [first = node('', ''), last = node('', '')] = flow
  const body = { text: `See ${own}: \${read.result}` }
  const kept = await sent([first, { ...last, params: body }])
  assert.equal(kept.split(own).length, 3)
  assert.ok(!kept.includes(theirs) && !kept.includes(piped))
  // Control: the owner says nothing of it.
  assert.ok(!(await sent(flow)).includes(own))
})
