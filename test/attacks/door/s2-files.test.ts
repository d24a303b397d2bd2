/**
 * Files and stores remember: data that was put somewhere comes back with its label, also in a folder that the owner
 * marked as internal. In each control nothing is remembered, and the same data goes out in silence.
 */
import assert from 'node:assert/strict'
import { appendFile, copyFile, mkdir, readdir, readFile, rename, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, test } from 'node:test'
import { NO_MARKS } from '../../../src/flows/built-in/file-labels.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import type { Json, JsonObject } from '../../../src/text/json.ts'
import {
  newFolder,
  openStoringHouse,
  type StoringHouse,
  type StoringTool,
  type StoringWishes,
} from './storing-house.ts'

const BODY = 'the results of the blood test'
const MEMORY = parseServerId('memory')

function tools(kept: Json[] = []): Readonly<Record<string, StoringTool>> {
  const others = 'sensitive'
  const text = { text: 'content' } as const
  return {
    'mail.read': { effect: 'remote-read', level: 'sensitive', isReadOnly: true, run: () => BODY },
    'bank.read': { effect: 'remote-read', level: 'regulated', run: () => BODY },
    'chat.post': { effect: 'write', args: text, run: () => 'posted' },
    'memory.store': { effect: 'write', args: text, others, run: ({ text }) => kept.push(text!) },
    'memory.recall': { effect: 'local-read', others, run: () => JSON.stringify(kept) },
  }
}

const VAGUE = { run: () => BODY }
const node = (id: string, type: string, params: JsonObject = {}) => ({ id, type, params })
const readMail = node('read', 'mail.read')
const readBank = node('read', 'bank.read')
const save = node('save', 'write-file', { path: 'a.txt', content: '${read.result}' })
const load = (file = 'a.txt') => node('load', 'read-file', { path: file })
const post = (text: string) => node('post', 'chat.post', { text })
const postFile = (file?: string) => [load(file), post('${load.content}')]

/** Plays the attack with the rule and without it: by which rules was asked, and whether the data reached the chat. */
async function both(
  play: (
    house: StoringHouse,
    wishes: StoringWishes,
  ) => Promise<{ readonly asked: readonly string[] }>,
): Promise<readonly (readonly [string, boolean])[]> {
  const ends = [{}, { forgets: true } as const].map(async (more) => {
    const folder = newFolder()
    const one = { folder, tools: tools(), marked: { internal: [folder], own: [] }, ...more }
    await using house = await openStoringHouse(one)
    const { asked } = await play(house, one)
    return [asked.join(), house.reached.some(([tool]) => tool === 'chat.post')] as const
  })
  return await Promise.all(ends)
}

const workOf = ({ folder }: StoringWishes, file: string): string => path.join(folder, 'work', file)

describe('files', { concurrency: true }, () => {
  test('S2: A2: sensitive mail, written in one run and read in the next, is asked about', async () => {
    const ends = await both(async (first, wishes) => {
      assert.deepEqual(await first.run([readMail, save]), { asked: [], problem: undefined })
      await using second = await openStoringHouse(wishes)
      const end = await second.run(postFile())
      assert.equal(second.reached.length, wishes.forgets ? 1 : 0)
      return end
    })
    assert.deepEqual(ends, [
      ['flow', false],
      ['', false],
    ])
  })

  test('S2: C6: what is regulated stays so through a file, in one flow; the check foresees it', async () => {
    const flow = [readBank, save, ...postFile()]
    const ends = await both(async (house) => {
      assert.equal((await house.foreseen(flow)).at(-1), 'flow.regulated')
      return await house.run(flow)
    })
    assert.deepEqual(ends, [
      ['flow.regulated', false],
      ['', true],
    ])
  })

  test('S2: a file that was moved, or copied into a marked folder, is known by its bytes', async () => {
    for (const move of [rename, copyFile]) {
      const ends = await both(async (house, wishes) => {
        await house.run([readBank, save])
        await mkdir(workOf(wishes, 'b'))
        await move(workOf(wishes, 'a.txt'), workOf(wishes, 'b/c.txt'))
        return await house.run(postFile('b/c.txt'))
      })
      assert.deepEqual(ends, [
        ['flow.regulated', false],
        ['', true],
      ])
    }
  })

  test('S2: a file that was changed since is known by its path', async () => {
    const ends = await both(async (house, wishes) => {
      await house.run([readBank, save])
      await appendFile(workOf(wishes, 'a.txt'), '.')
      return await house.run(postFile())
    })
    assert.deepEqual(ends, [
      ['flow.regulated', false],
      ['', true],
    ])
  })

  test('S2: a file that no flow wrote is sensitive, unless the owner marked its folder', async () => {
    const ends = [NO_MARKS, undefined].map(async (marked) => {
      const folder = newFolder()
      const wishes = { folder, tools: tools(), marked: marked ?? { internal: [folder], own: [] } }
      await using house = await openStoringHouse(wishes)
      await writeFile(workOf(wishes, 'taxes.txt'), 'my taxes')
      const { asked } = await house.run(postFile('taxes.txt'))
      return [asked, house.reached]
    })
    assert.deepEqual(await Promise.all(ends), [
      [['flow'], []],
      [[], [['chat.post', { text: 'my taxes' }]]],
    ])
  })

  test('S2: only a file of a folder that the owner marked as their own words may name a file', async () => {
    const folder = newFolder()
    const notes = path.join(folder, 'work', 'notes')
    const wishes = { folder, tools: tools(), marked: { internal: [], own: [notes] } }
    await using house = await openStoringHouse(wishes)
    await mkdir(notes)
    for (const place of ['notes/name.txt', 'name.txt']) {
      await writeFile(workOf(wishes, place), 'chosen.txt')
    }
    const write = node('save', 'write-file', { path: '${load.content}', content: 'x' })
    assert.deepEqual((await house.run([load('notes/name.txt'), write])).asked, [])
    assert.deepEqual((await house.run([load('name.txt'), write])).asked, ['target.external'])
    // A flow that puts others' words into that folder does not make them the owner's.
    const plant = node('save', 'write-file', { path: 'notes/name.txt', content: '${read.result}' })
    await house.run([readMail, plant])
    const asked = await house.run([load('notes/name.txt'), { ...write, id: 'again' }])
    assert.deepEqual(asked.asked, ['target.external'])
  })
})

describe('servers that keep what they are told', { concurrency: true }, () => {
  const store = node('keep', 'memory.store', { text: '${read.result}' })
  const recall = [node('recall', 'memory.recall'), post('${recall.result}')]

  test('S2: A3: a memory that is told mail gives it back as mail, in a later run of another process', async () => {
    const kept = [[], []] as Json[][]
    const ends = kept.map(async (memory, at) => {
      const forgets = at === 1 ? ({ forgets: true } as const) : {}
      const wishes = { folder: newFolder(), tools: tools(memory), ...forgets }
      {
        await using first = await openStoringHouse(wishes)
        assert.deepEqual((await first.run([readMail, store])).asked, [])
      }
      await using second = await openStoringHouse(wishes)
      const { asked } = await second.run(recall)
      return [asked.join(), second.reached.at(-1)]
    })
    assert.deepEqual(await Promise.all(ends), [
      ['flow', ['memory.recall', {}]],
      ['', ['chat.post', { text: JSON.stringify([BODY]) }]],
    ])
  })

  test('S2: in one flow, too; and the check before it says so', async () => {
    const flow = [readMail, store, ...recall]
    const ends = await both(async (house) => {
      const foreseen = await house.foreseen(flow)
      assert.deepEqual(foreseen.at(-1), 'flow')
      return await house.run(flow)
    })
    assert.deepEqual(ends, [
      ['flow', false],
      ['', true],
    ])
  })

  test('S2: what a memory gives may go back to it; only the owner says that it has forgotten', async () => {
    // A vendor's server, which may be given no other server's sensitive data: the owner once agreed to this.
    const vendor = Object.entries(tools()).map(([name, tool]) => {
      return [
        name,
        { ...tool, others: 'internal', ...(name === 'memory.recall' && VAGUE) },
      ] as const
    })
    const wishes = { folder: newFolder(), tools: Object.fromEntries(vendor) }
    await using house = await openStoringHouse(wishes)
    assert.deepEqual((await house.run([readMail, store])).asked, ['flow'])
    const label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) } as const
    await house.told.raise(MEMORY, [label])
    const back = node('keep', 'memory.store', { text: '${recall.result}' })
    const [first = readMail] = recall
    assert.deepEqual(await house.run([first, back]), { asked: [], problem: undefined })
    assert.deepEqual((await house.run(recall)).asked, ['flow'])
    assert.equal(await house.told.forget(MEMORY, OWNER.id), true)
    assert.deepEqual(
      house.events.map(({ kind, details }) => [kind, details]),
      [['servers.forget-told', { level: 'sensitive', origins: ['mail via memory'] }]],
    )
    assert.deepEqual((await house.run(recall)).asked, [])
    assert.equal(await house.told.forget(MEMORY, OWNER.id), false)
  })

  test('S2: what goes on to a third server still has the names of the first two', async () => {
    const others = 'sensitive'
    const echo: StoringTool = {
      effect: 'write',
      args: { text: 'content' },
      others,
      run: ({ text }) => text ?? null,
    }
    const more = { ...tools(), 'diary.add': echo, 'diary.read': { ...echo, run: () => BODY } }
    await using house = await openStoringHouse({ folder: newFolder(), tools: more })
    await house.run([readMail, store])
    const add = node('add', 'diary.add', { text: '${recall.result}' })
    await house.run([recall[0] ?? readMail, add])
    const label = await house.told.of(parseServerId('diary'))
    assert.deepEqual([...(label?.origins ?? [])].sort(), ['mail via diary', 'memory via diary'])
    assert.equal(label?.level, 'sensitive')
  })
})

describe('answers and inputs that are kept', { concurrency: true }, () => {
  test('S2: an answer out of the cache has the label it was kept with', async () => {
    const folder = newFolder()
    await using house = await openStoringHouse({ folder, tools: tools() })
    const flow = [readMail, post('${read.result}')]
    for (const _run of [1, 2]) {
      assert.deepEqual((await house.run(flow, { trust: ['pure'] })).asked, ['flow'])
    }
    assert.deepEqual(house.reached, [['mail.read', {}]], 'the second answer is out of the cache')
    // Control: with the label lost on the way, the same answer goes out.
    const [name = ''] = await readdir(path.join(folder, 'cache'))
    const file = path.join(folder, 'cache', name)
    await writeFile(file, (await readFile(file, 'utf8')).replaceAll('sensitive', 'public'))
    assert.deepEqual((await house.run(flow, { trust: ['pure'] })).asked, [])
    assert.deepEqual(house.reached.at(-1), ['chat.post', { text: BODY }])
  })

  test('S2: the output of one run, piped into another, is asked about; what the owner types is not', async () => {
    await using house = await openStoringHouse({ folder: newFolder(), tools: tools() })
    const piped = await house.run([post('${stdin}')], { stdin: BODY })
    assert.deepEqual([piped.asked, house.reached], [['flow'], []])
    const typed = await house.run([post('${text}')], { inputs: { text: BODY } })
    assert.deepEqual([typed.asked, house.reached.length], [[], 1])
  })

  test('S2: an error that repeats what it was told is as confidential as that', async () => {
    const fails: StoringTool = {
      effect: 'local-read',
      args: { text: 'content' },
      others: 'regulated',
      fails: true,
      run: ({ text }) => `cannot use ${JSON.stringify(text)}`,
    }
    const more = { ...tools(), 'errand.run': fails }
    await using house = await openStoringHouse({ folder: newFolder(), tools: more })
    const forEach = { items: [1], max: 1, error_handling: 'continue' } as const
    const each = (text: string) => ({ ...node('each', 'errand.run', { text }), forEach })
    const tell = post('${each.errors}')
    // Control: before the tool hears regulated data, its errors hold none.
    assert.deepEqual((await house.run([each('mine'), tell])).asked, ['flow'])
    const told = await house.run([readBank, each('${read.result}'), tell])
    assert.deepEqual(told.asked, ['flow.regulated'])
    // And it does not forget.
    assert.deepEqual((await house.run([each('mine'), tell])).asked, ['flow.regulated'])
  })
})
