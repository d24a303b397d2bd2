/** Sentences and their plans: tools, arguments, steps, questions, and the sentences that are never planned. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRead } from '../../kernel/effect.ts'
import { createOfflinePlanner } from './create-offline-planner.ts'
import { CARDS, createTestPlanner, never, requestOf, showPlanned } from './test-planner.ts'

const planner = createTestPlanner()
const plan = async (words: string): Promise<string> =>
  showPlanned(await planner.plan(requestOf(words), never))

async function plansEach(rows: Readonly<Record<string, string>>): Promise<void> {
  for (const [words, expected] of Object.entries(rows))
    assert.equal(await plan(words), expected, words)
}

test('plan() finds tool and arguments of plain requests, however politely they are said', async () => {
  await plansEach({
    'read notes.txt': 'files.read_text_file {"path":"notes.txt"}',
    'Hey, could you please read the file notes.txt?': 'files.read_text_file {"path":"notes.txt"}',
    'what is in ./src?': 'files.list_directory {"path":"./src"}',
    'list the files in ~/Documents': 'files.list_directory {"path":"~/Documents"}',
    'open ~/Documents': 'files.list_directory {"path":"~/Documents"}',
    'show me the files in ~/Documents': 'files.list_directory {"path":"~/Documents"}',
    'open notes.txt': 'files.read_text_file {"path":"notes.txt"}',
    'show the first 10 lines of notes.txt': 'files.read_text_file {"head":10,"path":"notes.txt"}',
    'write hello world to hello.txt':
      'files.write_file {"content":"hello world","path":"hello.txt"}',
    'move notes.txt into archive/':
      'files.move_file {"destination":"archive/","source":"notes.txt"}',
    'write "buy milk" to shopping.txt':
      'files.write_file {"content":"buy milk","path":"shopping.txt"}',
    'rename a.md to b.md': 'files.move_file {"destination":"b.md","source":"a.md"}',
    'find *.py files in /srv/code': 'files.search_files {"path":"/srv/code","pattern":"*.py"}',
    'show me issue #42 of octocat/hello':
      'github.get_issue {"issue_number":42,"owner":"octocat","repo":"hello"}',
    'open an issue in octocat/hello titled "It breaks"':
      'github.create_issue {"owner":"octocat","repo":"hello","title":"It breaks"}',
    'find repositories about state machines on github':
      'github.search_repositories {"query":"state machines"}',
    'post "hello all" to #general on slack':
      'slack.post_message {"channel_id":"#general","text":"hello all"}',
    'which channels are there in slack': 'slack.list_channels {}',
    'run select * from users limit 5 on sqlite':
      'sqlite.execute_sql {"sql":"select * from users limit 5"}',
    'use notes to search for rust runtimes': 'notes.search_notes {"query":"rust runtimes"}',
  })
})

test('plan() reads `key=value` and dates in the time zone of the owner', async () => {
  await plansEach({
    'create an issue in octocat/hello title="No dark mode" body=later':
      'github.create_issue {"body":"later","owner":"octocat","repo":"hello","title":"No dark mode"}',
    'what is on my calendar tomorrow?':
      'calendar.list_events {"calendarId":"primary","timeMax":"2026-11-18T00:00:00+01:00","timeMin":"2026-11-17T00:00:00+01:00"}',
    'put "Dentist" in my calendar tomorrow from 9am to 10am':
      'calendar.create_event {"calendarId":"primary","end":"2026-11-17T10:00:00+01:00","start":"2026-11-17T09:00:00+01:00","summary":"Dentist"}',
  })
})

test('plan() composes steps, and `it` is the result of the step before', async () => {
  await plansEach({
    'read notes.txt and post it to #general on slack':
      'files.read_text_file {"path":"notes.txt"} >> slack.post_message {"channel_id":"#general","text":"$step0"}',
    'search github repositories for sandboxes, then write that to found.txt':
      'github.search_repositories {"query":"sandboxes"} >> files.write_file {"content":"$step0","path":"found.txt"}',
    'read notes.txt and remember it':
      'files.read_text_file {"path":"notes.txt"} >> ~memory.remember {"text":"$step0"}',
    'remember that my car is blue': '~memory.remember {"text":"my car is blue"}',
    'read notes.txt and tell me': 'files.read_text_file {"path":"notes.txt"}',
    'search notes for salt and pepper': 'notes.search_notes {"query":"salt and pepper"}',
  })
})

test('plan() passes handles on: by name, and the newest one as `it`', async () => {
  const handles = [
    { name: 'result1', type: 'text' },
    { name: 'result2', type: 'list', count: 3 },
  ] as const
  const named = await planner.plan(requestOf('write $result1 to a.txt', handles), never)
  assert.equal(showPlanned(named), 'files.write_file {"content":"$result1","path":"a.txt"}')
  const newest = await planner.plan(requestOf('write it to a.txt', handles), never)
  assert.equal(showPlanned(newest), 'files.write_file {"content":"$result2","path":"a.txt"}')
  assert.match(await plan('write it to a.txt'), /^asks: Which content\?/)
  const told = await planner.plan(requestOf('tell #general on slack that it works', handles), never)
  assert.equal(showPlanned(told), 'slack.post_message {"channel_id":"#general","text":"it works"}')
})

test('plan() asks for what is missing, and which of two equally likely tools is meant', async () => {
  await plansEach({
    'post "hi" on slack': 'asks: Which channel id? It is needed for: post_message (slack).',
    'send the message "hi"':
      'asks: Which one do you mean? | send_message (discord) | post_message (slack)',
    'search github for leaks':
      'asks: Which one do you mean? | search_repositories (github) | search_issues (github)',
  })
})

test('plan() never leaves out a value that the sentence holds', async () => {
  assert.match(await plan('list the channels of slack in https://example.com'), /^unable/)
  assert.match(await plan('read a.txt and b.txt'), /^unable/)
})

const WRITES = [
  'delete the branch old in octocat/hello',
  'send "hi" to discord channel 42',
  'write "x" to a.txt',
  'move a.txt to b.txt',
  'post "hi" to #general on slack',
  'read notes.txt and post it to #general on slack',
  'run delete from users on sqlite',
]

const UNASKED = [
  (words: string) => `don't ${words}`,
  (words: string) => `please do not ${words}`,
  (words: string) => `never ${words}`,
  (words: string) => `you must not ${words}`,
  (words: string) => `under no circumstances ${words}`,
  (words: string) => `I never want you to ${words}`,
  (words: string) => `can you not ${words}?`,
  (words: string) => `should I ${words}?`,
  (words: string) => `what happens if I ${words}?`,
  (words: string) => `how do I ${words}`,
  (words: string) => `is it safe to ${words}?`,
  (words: string) => `did you ${words}?`,
  (words: string) => `would you ever ${words}?`,
  (words: string) => `${words} or not?`,
  (words: string) => `will you ${words} without asking?`,
  (words: string) => `can I ${words}`,
  (words: string) => `I wonder whether to ${words}`,
  (words: string) => `explain how to ${words}`,
  (words: string) => `${words}?`,
  (words: string) => `if it rains ${words}`,
  (words: string) => `${words} every day`,
  (words: string) => `you ${words}`,
  (words: string) => `list_directory ./src without having to ${words}`,
]

test('plan() plans a write for the plain request alone: not if it is forbidden, asked about or conditional', async () => {
  const effects = new Map(CARDS.map(({ id, effect }) => [id.name, effect]))
  for (const words of WRITES) {
    assert.match(await plan(words), /^(?:github|discord|files|slack|sqlite)\./, words)
    for (const change of UNASKED) {
      const planned = await planner.plan(requestOf(change(words)), never)
      const steps = planned.kind === 'plan' ? planned.plan.steps : []
      const written = steps.filter(({ tool }) => !isRead(effects.get(tool.name) ?? 'exec'))
      assert.deepEqual(written, [], change(words))
      assert.notEqual(planned.kind, 'question', change(words))
    }
  }
})

test('plan() takes a “not” inside quotes for content, and that of SQL for its own', async () => {
  assert.equal(
    await plan('run select * from users where name is not null on sqlite'),
    'sqlite.execute_sql {"sql":"select * from users where name is not null"}',
  )
  assert.equal(
    await plan('post "do not deploy if it rains" to #general on slack'),
    'slack.post_message {"channel_id":"#general","text":"do not deploy if it rains"}',
  )
})

test('plan() asks back where `can you …?` may only ask whether it is possible', async () => {
  const asked = await planner.plan(requestOf('can you write "x" to a.txt?'), never)
  assert.equal(showPlanned(asked), 'asks: Shall I do that? It is: write_file (files). | yes | no')
  assert.ok(asked.kind === 'question')
  const yes = await planner.answer(asked.draft, requestOf('yes'), never)
  assert.equal(showPlanned(yes), 'files.write_file {"content":"x","path":"a.txt"}')
})

test('plan() says why it cannot plan, with the tools that are near', async () => {
  await plansEach({
    'append "x" to notes.txt': 'unable: I can’t plan that without a model.',
    'turn off the kitchen lights': 'unable: I can’t plan that without a model.',
    'order a pizza': 'unable: I can’t plan that without a model.',
    'zeige mir die Dateien in dem Ordner und lies sie':
      'unable: Without a model I understand English only.',
    покажи: 'unable: Without a model I understand English only.',
    '🎉🎉🎉': 'unable: I can’t plan that without a model.',
    '': 'unable: I can’t plan that without a model.',
    'if it rains, read notes.txt':
      'unable: I can’t plan conditions or repetitions (“if”, “when”, “every”) without a model.',
    'do not read notes.txt': 'unable: You said not to, so nothing is planned.',
    'how do I read notes.txt?':
      'unable: I can’t answer that without a model. If something should be done, say it as a request.',
    [`read ${'x'.repeat(2000)}`]: 'unable: That is too long to plan without a model.',
  })
  const near = await planner.plan(requestOf('delete the issue'), never)
  assert.ok(near.kind === 'unable' && near.near.length > 0)
})

test('plan() says that nothing is connected instead of asking for a model, in an empty house', async () => {
  const own = CARDS.filter(({ id }) => id.server.startsWith('~'))
  const empty = createOfflinePlanner({
    tools: { list: async () => own.map((card) => ({ card })), search: async () => [] },
    taught: () => [],
  })
  const planned = await empty.plan(requestOf('list the files in ~/notes'), never)
  assert.match(showPlanned(planned), /nothing is connected.*`connect filesystem`/)
  const kept = await empty.plan(requestOf('remember that milk is out'), never)
  assert.match(showPlanned(kept), /^~memory\.remember /)
})

test('plan() takes sentences that the owner taught, and only whole ones', async () => {
  const taught = createTestPlanner(CARDS, [{ sentence: 'Stand-up!', flow: 'morning-digest' }])
  const say = async (words: string): Promise<string> =>
    showPlanned(await taught.plan(requestOf(words), never))
  assert.equal(await say('stand-up, please'), 'flow morning-digest')
  assert.match(await say('do not stand-up'), /^unable/)
  assert.match(await say('stand-up tomorrow'), /^unable/)
})

test('rank() names the tools that a request could mean, the likeliest first', async () => {
  const found = await planner.rank(requestOf('search github for leaks'), 2)
  assert.deepEqual(
    found.map(({ name }) => name),
    ['search_repositories', 'search_issues'],
  )
})

test('a tool that claims to read counts as a read, one that nobody said anything about does not', async () => {
  const [card] = createCards('destructive')
  const ask = requestOf('which widgets are there')
  assert.match(showPlanned(await createTestPlanner(card ? [card] : []).plan(ask, never)), /^unable/)
  const claiming = createTestPlanner(card ? [{ ...card, claims: 'read' }] : [])
  assert.equal(showPlanned(await claiming.plan(ask, never)), 'files.list_widgets {}')
})

function createCards(effect: 'destructive'): readonly (typeof CARDS)[number][] {
  return CARDS.slice(0, 1).map((card) => ({
    ...card,
    effect,
    id: { ...card.id, name: 'list_widgets' },
    args: [],
  }))
}
