import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RawTool } from '../session/tool-list.ts'
import {
  acceptTools,
  changesIn,
  diffManifest,
  type Manifest,
  markTools,
  quarantineAll,
  readManifest,
} from './manifest.ts'

const tool = (name: string, description = 'Does it'): RawTool => ({
  name,
  description,
  inputSchema: {},
})
const seenIn = (manifest: Manifest, ...names: string[]): Record<string, string> =>
  Object.fromEntries(
    changesIn(manifest)
      .filter(({ name }) => names.includes(name))
      .map(({ name, hash }) => [name, hash]),
  )
const quarantined = (manifest: Manifest): string[] =>
  [...manifest.tools.values()].filter((one) => one.quarantined).map(({ name }) => name)

test('the first sight pins everything; the order of tools and of keys does not matter', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  assert.deepEqual(quarantined(first), [])
  const turned = readManifest(
    [tool('b'), { inputSchema: {}, description: 'Does it', name: 'a' }],
    first,
  )
  assert.equal(turned.hash, first.hash)
  assert.deepEqual(quarantined(turned), [])
})

test('any change of a definition is seen, down to one it was not asked for', () => {
  const first = readManifest([tool('a')], undefined)
  for (const changed of [
    tool('a', 'Does it '),
    { ...tool('a'), annotations: {} },
    { ...tool('a'), x: 1 },
  ]) {
    assert.deepEqual(quarantined(readManifest([changed], first)), ['a'])
  }
})

test('a time in _meta, another icon or title changes nothing that was accepted', () => {
  const first = readManifest([{ ...tool('a'), annotations: { readOnlyHint: true } }], undefined)
  const dressed: RawTool = {
    ...tool('a'),
    _meta: { at: 1 },
    icons: [{ src: 'https://example.com/a.png?v=1' }],
    title: 'A',
    annotations: { readOnlyHint: true, title: 'A' },
  }
  const now = readManifest([dressed], first)
  assert.deepEqual(quarantined(now), [])
  assert.equal(now.hash, first.hash)
  const worse = { ...dressed, annotations: { readOnlyHint: false, title: 'A' } }
  assert.deepEqual(quarantined(readManifest([worse], now)), ['a'])
})

test('a title is that of the definition as it was first seen, whatever the server says later, until another is accepted', () => {
  const titled = (title?: string, description = 'Does it'): RawTool => ({
    ...tool('a', description),
    ...(title !== undefined && { title }),
  })
  const titleIn = ({ tools }: Manifest): string | undefined => tools.get('a')?.title
  const first = readManifest([titled('Deletes all')], undefined)
  const renamed = readManifest([titled('Reads the weather')], first)
  assert.equal(titleIn(renamed), 'Deletes all')
  assert.equal(renamed.tools.get('a')?.raw['title'], 'Deletes all') // as it is stored
  assert.equal(titleIn(readManifest([titled()], first)), 'Deletes all')
  assert.equal(
    titleIn(readManifest([titled('Late')], readManifest([titled()], undefined))),
    undefined,
  )
  // By way of another definition, or of none.
  for (const between of [[titled('X', 'Does more')], []]) {
    const back = readManifest([titled('Reads the weather')], readManifest(between, first))
    assert.deepEqual([titleIn(back), quarantined(back)], ['Deletes all', []])
  }
  const changed = readManifest([titled('New', 'Does more')], first)
  const hash = changed.tools.get('a')?.hash ?? ''
  assert.equal(titleIn(acceptTools(changed, { a: hash })), 'New')
})

test('a tool that was removed keeps its pin, so it cannot come back as another', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  const without = readManifest([tool('a'), tool('c')], first)
  assert.deepEqual(diffManifest(without), { added: ['c'], changed: [], removed: ['b'] })
  const back = readManifest([tool('a'), tool('b', 'Does more')], without)
  assert.deepEqual(diffManifest(back), { added: [], changed: ['b'], removed: [] })
  assert.deepEqual(quarantined(acceptTools(back, seenIn(back, 'b'))), [])
})

test('a change is told with what it was, however many times it changes before somebody looks', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  const later = readManifest([tool('a', 'Once'), tool('c')], first)
  const now = readManifest([tool('a', 'Twice'), tool('c')], later)
  const [a, c, b] = changesIn(now)
  assert.deepEqual([a?.before, a?.now], [tool('a'), tool('a', 'Twice')])
  assert.deepEqual([c?.before, c?.now], [undefined, tool('c')])
  assert.deepEqual([b?.before, b?.now], [tool('b'), undefined])
  assert.equal(a?.hash, now.tools.get('a')?.hash)
  const accepted = acceptTools(now, seenIn(now, 'a', 'b'))
  assert.deepEqual(changesIn(accepted), [c])
  assert.deepEqual(changesIn(readManifest([tool('a', 'Twice')], accepted)), [])
})

test('only what was looked at is accepted: a tool that changed since is not, nor any other with it', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  const shown = readManifest([tool('a', 'Harmless'), tool('b', 'Other')], first)
  const seen = seenIn(shown, 'a', 'b')
  const swapped = readManifest([tool('a', 'Sends all files away'), tool('b', 'Other')], shown)
  for (const asked of [seen, { nothing: 'x' }, { a: first.pins.get('a') ?? '' }]) {
    assert.throws(() => acceptTools(swapped, asked), { code: 'servers.not-as-seen' })
  }
  assert.deepEqual(quarantined(swapped), ['a', 'b'])
  assert.deepEqual(quarantined(acceptTools(swapped, { b: seen['b'] ?? '' })), ['a'])
})

test('a server without tools that grows some is not at its first sight', () => {
  const none = readManifest([], undefined)
  assert.deepEqual(quarantined(readManifest([tool('a')], none)), ['a'])
})

const setOf = ({ tools }: Manifest): string | undefined => tools.get('a')?.setHash

test('what permissions hold for is what was accepted of the server as a whole', () => {
  const first = readManifest([tool('a'), tool('b')], undefined)
  assert.equal(setOf(readManifest([tool('b'), tool('a')], first)), setOf(first))
  const offered = readManifest([tool('a'), tool('b'), tool('c')], first)
  assert.equal(setOf(offered), setOf(first), 'a tool that nobody accepted')
  const gone = readManifest([tool('a')], first)
  assert.equal(setOf(gone), setOf(first), 'a tool that is gone')
  const changed = readManifest([tool('a'), tool('b', 'Does more')], first)
  const others = [
    acceptTools(offered, seenIn(offered, 'c')),
    acceptTools(gone, seenIn(gone, 'b')),
    changed,
    acceptTools(changed, seenIn(changed, 'b')),
    quarantineAll(first),
  ]
  assert.equal(new Set([first, ...others].map(setOf)).size, others.length + 1)
  assert.equal(setOf(readManifest([tool('a'), tool('b')], changed)), setOf(first), 'as it was')
})

test('a quarantine by the owner is no change, and whatever comes later is one', () => {
  const shut = quarantineAll(readManifest([tool('a'), tool('b')], undefined))
  assert.deepEqual(quarantined(shut), ['a', 'b'])
  assert.deepEqual(changesIn(shut)[0], {
    name: 'a',
    before: tool('a'),
    now: tool('a'),
    hash: changesIn(shut)[0]?.hash,
    isHeld: true,
  })
  const swapped = readManifest([tool('a', 'Does more'), tool('b')], shut)
  assert.deepEqual(changesIn(swapped)[0], {
    name: 'a',
    before: tool('a'),
    now: tool('a', 'Does more'),
    hash: changesIn(swapped)[0]?.hash,
  })
  assert.deepEqual(
    [...swapped.tools.values()].map(({ isHeld }) => isHeld),
    [false, true],
  )
  const later = readManifest([tool('a'), tool('c')], shut)
  assert.deepEqual(quarantined(later), ['a', 'c'])
  assert.deepEqual(quarantined(acceptTools(later, seenIn(later, 'a'))), ['c'])
})

test('at first sight everything is pinned but what resembles something earlier', () => {
  const manifest = readManifest(
    [{ name: 'search' }, { name: 'Search' }, { name: 'send' }],
    undefined,
  )
  assert.deepEqual(quarantined(manifest), ['Search'])
  const [change] = changesIn(manifest)
  assert.equal(change?.name, 'Search')
  const accepted = acceptTools(manifest, { Search: change?.hash ?? '' })
  assert.deepEqual(quarantined(accepted), [])
})

test('an accepted tool keeps its name over a later look-alike, in whatever order they are listed', () => {
  const before = readManifest([{ name: 'search' }], undefined)
  const now = readManifest([{ name: 'Search' }, { name: 'search' }], before)
  assert.deepEqual(quarantined(now), ['Search'])
  assert.equal(now.tools.get('Search')?.lookAlike, 'search')
  assert.equal(now.tools.get('search')?.lookAlike, undefined)
})

const marked = (manifest: Manifest): string[] =>
  [...manifest.tools.values()].filter(({ mark }) => mark).map(({ name }) => name)
const BOTH = new Map([
  ['a', 'read'],
  ['b', 'write'],
] as const)

test('a mark holds for the definition and the set it was given for, and for nothing else', () => {
  const first = markTools(readManifest([tool('a'), tool('b')], undefined), BOTH, 'p')
  assert.deepEqual(marked(first), ['a', 'b'])
  const offered = readManifest([tool('a'), tool('b'), tool('c')], first)
  assert.deepEqual(marked(offered), ['a', 'b'], 'a tool that nobody accepted changes nothing')
  const changed = readManifest([tool('a', 'Does more'), tool('b')], first)
  assert.deepEqual(marked(changed), [], 'a server that changed a tool is not as it was')
  assert.deepEqual(marked(readManifest([tool('a'), tool('b')], changed)), ['a', 'b'], 'as it was')
  const accepted = acceptTools(changed, seenIn(changed, 'a'))
  assert.deepEqual(marked(accepted), ['b'], 'the changed tool has lost its mark')
  assert.equal(accepted.marks.size, 1)
})

test('marks wait while any accepted tool is another, and a quarantine ends them', () => {
  const first = markTools(readManifest([tool('a'), tool('b')], undefined), BOTH, 'p')
  const two = readManifest([tool('a', 'x'), tool('b', 'x')], first)
  assert.deepEqual(marked(acceptTools(two, seenIn(two, 'a'))), [])
  const shut = quarantineAll(first)
  assert.deepEqual(marked(acceptTools(shut, seenIn(shut, 'a', 'b'))), [])
})

test('only a tool that is there and accepted is marked, and a mark can be taken back', () => {
  const first = readManifest([tool('a')], undefined)
  const more = readManifest([tool('a'), tool('b')], first)
  const read = (name: string) => new Map([[name, 'read' as const]])
  assert.throws(() => markTools(more, read('b'), 'p'), /Cannot mark tool "b": it waits/)
  assert.throws(
    () => markTools(more, read('\u001b[2Jx'), 'p'),
    /Cannot mark tool "\[2Jx": there is no/,
  )
  const given = markTools(more, read('a'), 'p')
  assert.deepEqual(marked(markTools(given, new Map([['a', undefined]]), 'p')), [])
  assert.throws(() => markTools(given, new Map([['c', undefined]]), 'p'), /there is no such tool/)
})
