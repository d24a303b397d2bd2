import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
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

test('help and completion list every command, and each is found by its name', async () => {
  const program = commandsIn((await runFake(['--help'], {})).stdout)
  assert.ok(program.length > 30)
  const mcp = commandsIn((await runFake(['mcp', '--help'], {})).stdout)
  assert.ok(mcp.length > 20)
  const completed = async (words: readonly string[]): Promise<readonly string[]> => {
    const { stdout } = await runMain(['complete', '--', ...words, ''])
    return stdout.split('\n').map((line) => line.split('\t')[0] ?? '')
  }
  assert.deepEqual(program.filter(notIn(await completed([]))), [])
  assert.deepEqual(mcp.filter(notIn(await completed(['mcp']))), [])
  for (const words of [...program.map((name) => [name]), ...mcp.map((name) => ['mcp', name])]) {
    // A word that is no command of `mcp` would be read as a server, and the next one as its tool. `call` itself shows
    // the help of the tool that is named after it.
    const rest = words.includes('call') ? ['--help'] : ['x', '--help']
    const { code, stdout } = await runFake([...words, ...rest], {})
    assert.equal(code, 0, words.join(' '))
    assert.match(stdout, new RegExp(`^Usage: cordon ${words.join(' ')}\\b`))
  }
})

function notIn(names: readonly string[]): (name: string) => boolean {
  return (name) => !names.includes(name)
}

const here = fileURLToPath(new URL('.', import.meta.url))

/** In a process of its own, with no kernel to be found. */
async function runMain(
  words: readonly string[],
  flags: readonly string[] = [],
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  const env = { ...process.env, CORDON_HOME: path.join(here, 'no-such-home') }
  const main = path.join(here, '..', 'main.ts')
  return await promisify(execFile)(process.execPath, [...flags, main, ...words], { env })
}

const WATCH = `import { registerHooks } from 'node:module'
registerHooks({
  load(url, context, next) {
    if (url.includes('/cli/commands/')) process._rawDebug('./' + url.split('/cli/').at(-1))
    return next(url, context)
  },
})`

/** The modules that a command line loads, of those that are loaded only when they are asked for. */
async function loadedFor(words: readonly string[]): Promise<readonly string[]> {
  const source = await readFile(path.join(here, 'run-cli.ts'), 'utf8')
  const lazy = Array.from(
    source.matchAll(/import\('(\.\/commands\/[^']+)'\)/g),
    ([, file = '']) => file,
  )
  const hook = `data:text/javascript,${encodeURIComponent(WATCH)}`
  const { stderr } = await runMain(words, ['--import', hook])
  const loaded = new Set(stderr.split('\n'))
  return lazy.filter((file) => loaded.has(file))
}

test('one command loads its own module alone, and help loads all', async () => {
  assert.deepEqual(await loadedFor(['mcp', 'list', '--help']), ['./commands/mcp-list.ts'])
  assert.deepEqual(await loadedFor(['--json', 'vault', 'set', '--help']), ['./commands/vault.ts'])
  const all = await loadedFor(['--help'])
  assert.ok(all.length > 30, all.join(' '))
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
