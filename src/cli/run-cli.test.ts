import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Answers, runFake } from './fake-surface.ts'

/** The command names under "Commands:". */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = /^Commands:\n((?: {2}.*\n?)+)/m.exec(help) ?? []
  const names = Array.from(list.matchAll(/^ {2}([a-z][\w-]*)/gm), ([, name = '']) => name)
  return names.filter((name) => name !== 'help')
}

async function helpWithoutExample(words: readonly string[]): Promise<readonly string[]> {
  const { code, stdout } = await runFake([...words, '--help'], {})
  assert.equal(code, 0)
  const found: string[] = []
  const commands = commandsIn(stdout)
  for (const name of commands) found.push(...(await helpWithoutExample([...words, name])))
  return commands.length > 0 || stdout.includes('\nExample:\n  $ ') ? found : [words.join(' ')]
}

test('the help of every command shows an example', async () => {
  assert.deepEqual(await helpWithoutExample([]), [])
})

test('with --json a mistake in the words is one JSON value too, with the same exit code', async () => {
  for (const words of [['vault', 'set'], ['vault', 'frob'], ['vault'], [], ['up', '--frob']]) {
    const plain = await runFake(words, {})
    const { code, stdout } = await runFake([...words, '--json'], {})
    assert.deepEqual([plain.code, code, plain.stdout], [2, 2, ''])
    const { error } = JSON.parse(stdout) as { error: { code: string; exit: number } }
    assert.deepEqual([error.code, error.exit], ['cli.arguments', 2])
  }
})

test('with --json completion is one JSON value, and chat says that it has none', async () => {
  const script = (await runFake(['completion', 'bash'], {})).stdout
  const completion = await runFake(['completion', 'bash', '--json'], {})
  assert.deepEqual(JSON.parse(completion.stdout), { shell: 'bash', script })
  const chat = await runFake(['chat', '--json'], {})
  assert.equal(chat.code, 2)
  const { error } = JSON.parse(chat.stdout) as { error: { code: string } }
  assert.equal(error.code, 'cli.no-json')
})

test('what may be a secret on the command line is not repeated', async () => {
  for (const words of [
    ['x', 'hunter2'],
    ['x', '--value=hunter2'],
    ['x', '--value=a\nhunter2'],
  ]) {
    const { code, stderr } = await runFake(['vault', 'set', ...words], {})
    assert.equal(code, 2)
    assert.doesNotMatch(stderr, /hunter2/)
  }
})

test('whoever is told to end waits for no more input, and says that it was called off', async () => {
  for (const words of [
    ['auth', 'callback'],
    ['vault', 'init', '--key', 'passphrase'],
  ]) {
    const controller = new AbortController()
    setImmediate(() => controller.abort())
    const ran = await runFake(words, {}, { signal: controller.signal, isEndless: true })
    assert.equal(ran.code, 3)
    assert.match(ran.stderr, /^cordon: error: Cannot go on: it was called off\n/)
  }
})

test('a request that is called off is not told as a kernel that is gone', async () => {
  const controller = new AbortController()
  const answers: Answers = {
    'mcp.start': () => {
      controller.abort()
      controller.signal.throwIfAborted()
      throw new TypeError('It goes on')
    },
  }
  const ran = await runFake(['mcp', 'start', 'x'], answers, { signal: controller.signal })
  assert.equal(ran.code, 3)
  assert.match(ran.stderr, /Cannot go on: it was called off/)
})

test('names that a shell would evaluate are not offered to it', async () => {
  const candidates = ['mcp-evil-$(touch owned)', 'mcp-evil-a;b', 'mcp-evil-say', '>>']
  const answers: Answers = { 'flows.complete': async () => ({ candidates }) }
  const { stdout } = await runFake(['complete', '--', 'run', 'mcp-evil-'], answers)
  assert.equal(stdout, 'mcp-evil-say\t\nthen\t\n:4\n')
})

test('what is piped in is taken byte for byte, or not at all', async () => {
  const taken: string[] = []
  const answers: Answers = {
    'vault.status': async () => ({ state: 'unlocked', secrets: 0, warnings: [] }),
    'vault.set': async ({ name, value }) => {
      taken.push(value)
      return { name, replaced: false }
    },
  }
  const set = (typed: Uint8Array) => runFake(['vault', 'set', 'x'], answers, { typed })
  assert.equal((await set(Buffer.from('pässwort\n'))).code, 0)
  const latin = await set(Buffer.from('pässwort\n', 'latin1'))
  assert.equal(latin.code, 2)
  assert.match(latin.stderr, /standard input is not text in UTF-8/)
  assert.deepEqual(taken, ['pässwort'])
})
