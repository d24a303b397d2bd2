/** Sentences of a stranger at the terminal that nobody planned for: no wrong answer, no wrong plan. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createOfflinePlanner } from './create-offline-planner.ts'
import { CARDS, createTestPlanner, never, requestOf, showPlanned } from './test-planner.ts'

const planner = createTestPlanner()

const say = async (words: string, from = planner): Promise<string> =>
  showPlanned(await from.plan(requestOf(words), never))

test('thanks and questions are no value for what was asked, and a path or a text is one', async () => {
  const asked = await planner.plan(requestOf('list the files in the folder'), never)
  assert.ok(asked.kind === 'question', showPlanned(asked))
  const answer = async (words: string) =>
    showPlanned(await planner.answer(asked.draft, requestOf(words), never))
  for (const words of ['thanks!', 'how many orders are there?', 'what can you do'])
    assert.equal(await answer(words), 'no answer', words)
  assert.equal(await answer('~/my notes'), 'files.list_directory {"path":"~/my notes"}')
  const note = await planner.plan(requestOf('add a note'), never)
  assert.ok(note.kind === 'question', showPlanned(note))
  const text = await planner.answer(note.draft, requestOf('is the door shut at night?'), never)
  assert.match(showPlanned(text), /notes\.add_note .*door/)
})

test('a folder is not asked for where the owner gave the server only one, and only to look into it', async () => {
  const tools = { list: async () => CARDS.map((card) => ({ card })), search: async () => [] }
  const over = (folders: readonly string[]) =>
    createOfflinePlanner({ tools, taught: () => [], foldersOf: async () => folders })
  const one = over(['/home/ann/notes'])
  assert.equal(await say('list the files', one), 'files.list_directory {"path":"/home/ann/notes"}')
  assert.match(await say('list the files', over(['/a', '/b'])), /^asks: Which path/)
  assert.match(await say('read the text file', one), /^asks: Which path/)
})

test('a bare statement of SQL is run, and one that changes data by a tool that may', async () => {
  assert.equal(
    await say('select item, price from orders where price > 3'),
    'sqlite.execute_sql {"sql":"select item, price from orders where price > 3"}',
  )
  assert.match(await say('delete from orders where id = 1'), /^sqlite\.execute_sql/)
})

test('a sentence that shares no word with any tool is answered without tools', async () => {
  for (const words of ['frobnicate the gizmo', 'how many orders are there?']) {
    const planned = await planner.plan(requestOf(words), never)
    assert.deepEqual(planned.kind === 'unable' && planned.near, [], words)
  }
  assert.match(await say('what files do I have?'), /files\.list_directory|Which path/)
})

test('where nothing can delete, that is said', async () => {
  const reading = createTestPlanner(CARDS.filter(({ id }) => id.server === 'files'))
  for (const words of ['delete everything in ~/notes', 'please wipe my disk'])
    assert.match(await say(words, reading), /^unable: Nothing that is connected can delete/, words)
  assert.doesNotMatch(await say('delete the branch'), /Nothing that is connected/)
})
