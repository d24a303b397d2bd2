import assert from 'node:assert/strict'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { type Answers, runFake } from '../fake-surface.ts'

test('a call that fails says why, what to do about it, and ends with 5', async () => {
  const result = {
    kind: 'failed',
    code: 'vault.locked',
    reason: 'Cannot lend secret "x"',
    hint: 'Run `cordon vault unlock`, then try again',
  } as const
  const ran = await runFake(['mcp', 'call', 'a.b'], { 'mcp.call': async () => result })
  assert.deepEqual(
    [ran.code, ran.stdout, ran.stderr],
    [
      5,
      'failed: Cannot lend secret "x"\n',
      'cordon: hint: Run `cordon vault unlock`, then try again\n',
    ],
  )
  const json = await runFake(['mcp', 'call', 'a.b', '--json'], { 'mcp.call': async () => result })
  assert.deepEqual(JSON.parse(json.stdout), result)
})

test('a call that is refused says what rule asks for, and ends with 3', async () => {
  const result = { kind: 'refused', reason: 'It asks', rule: 'approval.needed' } as const
  const ran = await runFake(['mcp', 'call', 'a.b'], { 'mcp.call': async () => result })
  assert.equal(ran.code, 3)
  assert.match(ran.stderr, /^cordon: hint: Run it in a terminal/)
})

const inputSchema = {
  type: 'object',
  properties: { path: { type: 'string', description: 'Where\u001b[2J to look' } },
  required: ['path'],
}
const state = { badge: 'idle', tools: 1, quarantined: 0, restarts: 0 } as const
const files = {
  'mcp.tools': async () => ({
    tools: [{ name: 'list_directory', description: 'Lists', inputSchema }],
  }),
  'mcp.list': async () => ({ servers: [{ server: 'files', name: 'Files', state }], problems: [] }),
}
const answers = (more: object) =>
  ({ ...files, ...more }) as unknown as Parameters<typeof runFake>[1]

test('arguments are taken as name=value, --name value and JSON alike', async () => {
  const ok = { 'mcp.call': async () => ({ kind: 'ok', value: { content: 'a\nb' } }) }
  for (const words of [['path=5'], ['--path', '5'], ['--path=5', '--yes'], ['{"path":"5"}']]) {
    const ran = await runFake(['mcp', 'call', 'files.list_directory', ...words], answers(ok))
    const [, input] = ran.calls.find(([route]) => route === 'mcp.call') ?? []
    assert.deepEqual((input as { readonly args: unknown }).args, { path: '5' }, words.join(' '))
    assert.equal(ran.stdout, 'a\nb\n')
  }
  const odd = await runFake(['mcp', 'call', 'files.list_directory', 'hunter2'], answers(ok))
  assert.equal(odd.code, 2)
  assert.doesNotMatch(odd.stderr, /hunter2/)
})

test('~/ at the start of a typed value is the home, for a server with a folder there', async () => {
  const more = answers({
    'mcp.call': async () => ({ kind: 'ok', value: 'x' }),
    'mcp.show': async () => ({ sandbox: { readPaths: [], writePaths: ['/home/ann/notes'] } }),
  })
  const argsOf = async (...words: readonly string[]): Promise<unknown> => {
    const ran = await runFake(['mcp', 'call', 'files.list_directory', ...words], more)
    const [, input] = ran.calls.find(([route]) => route === 'mcp.call') ?? []
    return (input as { readonly args: unknown }).args
  }
  assert.deepEqual(await argsOf('path=~/notes'), { path: '/home/ann/notes' })
  assert.deepEqual(await argsOf('--path', '~/notes/a'), { path: '/home/ann/notes/a' })
  assert.deepEqual(await argsOf('path=~/.ssh'), { path: '~/.ssh' })
  assert.deepEqual(await argsOf('{"path":"~/notes"}'), { path: '~/notes' })
})

test('the help of a tool is made from its schema, with no control character of it', async () => {
  const { stdout, code } = await runFake(
    ['mcp', 'call', 'files.list_directory', '--help'],
    answers({}),
  )
  assert.equal(code, 0)
  assert.match(stdout, /path +text +required +Where.* to look/)
  assert.match(stdout, /\$ cordon mcp call files\.list_directory path=…/)
  assert.ok(!stdout.includes('\u001b'))
  const own = await runFake(['mcp', 'call', '--help'], answers({}))
  assert.match(own.stdout, /name=value, --name value/)
})

test('a mistyped server, tool or argument is answered with the closest and the declared ones', async () => {
  const refused = (rule: string) => ({
    'mcp.call': async () => ({ kind: 'refused', reason: 'No', rule }),
  })
  const hintOf = async (tool: string, rule: string) =>
    (await runFake(['mcp', 'call', tool], answers(refused(rule)))).stderr
  assert.match(
    await hintOf('files.list_directry', 'tool.unknown'),
    /Did you mean "list_directory"\?/,
  )
  assert.match(await hintOf('fils.x', 'tool.unknown'), /no server "fils"\. Did you mean "files"\?/)
  assert.match(await hintOf('files.list_directory', 'tool.arguments'), /It takes path/)
})

test('a picture is never printed; --out saves it, and overwrites nothing', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-out-'))
  const data = Buffer.from('a picture').toString('base64')
  const value = [{ type: 'image', mimeType: 'image/png', data }]
  const ok = answers({ 'mcp.call': async () => ({ kind: 'ok', value }) })
  const shown = await runFake(['mcp', 'call', 'files.list_directory'], ok)
  assert.equal(shown.stdout, '[image/png, 9 bytes; --out FILE saves it]\n')
  const call = ['mcp', 'call', 'files.list_directory', '--out']
  const file = path.join(folder, 'x.png')
  assert.equal((await runFake([...call, file], ok)).stdout, `saved ${file}\n`)
  assert.equal(await readFile(file, 'utf8'), 'a picture')
  assert.match((await runFake([...call, file], ok)).stderr, /Name a file that does not exist yet/)
  await runFake([...call, folder], ok)
  assert.deepEqual((await readdir(folder)).toSorted(), ['1.png', 'x.png'])
  await rm(folder, { recursive: true })
})

test('a call that wants more permissions asks once, signs in, and goes on', async () => {
  const lacking = { kind: 'failed', code: 'setup.scope', reason: 'It wants more', hint: 'Sign in' }
  const results = [lacking, { kind: 'ok', value: 'done' }]
  const view = { connection: 'c', service: 'notes', title: 'Notes', expiresAt: '', version: 1 }
  const steps = {
    'mcp.call': async () => results.shift(),
    'connect.start': async () => ({ ...view, phase: 'connected', said: ['✓ Notes connected.'] }),
  } as unknown as Answers
  const args = ['mcp', 'call', 'notes.add', '--yes']
  const yes = await runFake(args, steps, { typed: 'y', isTTY: true, question: /go on/ })
  assert.match(yes.stdout, /done/)
  assert.equal(yes.code, 0)
  results.push(lacking)
  const no = await runFake(args, steps, { typed: 'n', isTTY: true, question: /go on/ })
  const made = no.calls.filter(([route]) => route === 'mcp.call')
  assert.deepEqual([no.code, made.length], [5, 1])
  results.push(lacking)
  const piped = await runFake(args, steps)
  assert.deepEqual([piped.code, piped.calls.length], [5, 1], 'nobody is asked without a terminal')
})
