/** Laws that the linter cannot check: imports at run time, file headers, banned file names, references of rooms. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'

const root = new URL('../../', import.meta.url)
const sources = globSync('src/**/*.ts', { cwd: root }).filter((file) => !file.endsWith('.test.ts'))
const text = (file: string) => readFileSync(new URL(file, root), 'utf8')

const HIDDEN_IMPORT =
  /\b(?:import|require)\s*\(\s*['"`](?:node:)?(?:child_process|cluster|net|https?|http2|tls|dgram|dns|undici|ws)\b/
const ANY_REQUIRE = /\bcreateRequire\b/
/** Load the verifier that npm brings along. Only a program of the install sandbox may import them. */
const LOADERS = ['src/catalog/proof/shipped-trust.ts', 'src/catalog/proof/verify-provenance.ts']
const IN_SANDBOX = 'src/catalog/proof/proof-worker.ts'
/** Holds such a program as text, which npm reads inside of the install sandbox. */
const AS_TEXT = 'src/catalog/install/own-archives.ts'

test('STAR-2: no room reaches a process or a socket through an import at run time', () => {
  assert.ok(sources.length > 30)
  const bad = sources.filter(
    (file) =>
      HIDDEN_IMPORT.test(text(file)) ||
      (ANY_REQUIRE.test(text(file)) && ![...LOADERS, AS_TEXT].includes(file)),
  )
  assert.deepEqual(bad, [])
  const users = sources.filter((file) =>
    /(?:shipped-trust|verify-provenance)\.ts'/.test(text(file)),
  )
  assert.deepEqual(users, [IN_SANDBOX])
  assert.doesNotMatch(text(AS_TEXT).replace(/= `[^`]+`/, ''), ANY_REQUIRE)
  assert.match("await import('node:child_process')", HIDDEN_IMPORT)
})

test('STAR-3: text/ imports nothing at run time either', () => {
  const pure = sources.filter((file) => file.startsWith('src/text/'))
  assert.ok(pure.length > 0)
  assert.deepEqual(
    pure.filter((file) => /\b(?:import|require)\s*\(/.test(text(file))),
    [],
  )
})

test('every source file opens with a header that says what it is', () => {
  const bad = sources.filter((file) => !text(file).startsWith('/**'))
  assert.deepEqual(bad, [])
})

test('no file has a name that says nothing', () => {
  const banned = /^(?:utils?|helpers?|common|misc|manager|service|types|index)\.ts$/
  assert.deepEqual(
    sources.filter((file) => banned.test(path.basename(file))),
    [],
  )
})

/** The rooms that people and programs talk to. Only they know the API: its types, the client and its long polls. */
const SURFACES = ['channels', 'cli', 'gateway', 'web']

const LEAVES: ReadonlyMap<string, readonly string[]> = new Map([
  ['text', []],
  ['labels', ['../text']],
  ['kernel', ['../labels', '../text']],
])

test('STAR-1: the list of what a room may know holds kernel/, ports/ and the leaves, and api/ for a surface alone', () => {
  const rooms = globSync('src/*/tsconfig.json', { cwd: root })
  assert.ok(rooms.length > 15)
  for (const file of rooms) {
    const room = path.basename(path.dirname(file))
    const { references } = JSON.parse(text(file)) as { references: readonly { path: string }[] }
    const known = references.map((one) => one.path).filter((one) => one.startsWith('..'))
    const allowed = LEAVES.get(room) ?? [
      '../kernel',
      '../labels',
      '../ports',
      '../text',
      ...(SURFACES.includes(room) ? ['../api'] : []),
    ]
    assert.deepEqual(
      known.filter((one) => !allowed.includes(one)),
      [],
      room,
    )
  }
})

/** With `verbatimModuleSyntax`, every import that is not `import type` is loaded at run time. */
const LOADS_API =
  /^import (?!type\b)[^'"]*from '(?:\.\.\/)+api\/(?!(?:chat-turns|client|long-poll|show-[a-z]+)\.ts)/m

test('a surface loads nothing of the API but its client and its words: no schema, no handler', () => {
  const loading = sources
    .filter((file) => SURFACES.includes(file.split('/')[1] ?? ''))
    .filter((file) => !path.basename(file).startsWith('fake-'))
    .filter((file) => LOADS_API.test(text(file)))
  assert.deepEqual(loading, [])
  assert.match("import {\n  createApi,\n} from '../../api/server.ts'", LOADS_API)
  assert.match("import { type Api } from '../api/contract.ts'", LOADS_API)
})
