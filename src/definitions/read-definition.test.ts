import assert from 'node:assert/strict'
import test from 'node:test'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import { readDefinition } from './read-definition.ts'

const HOME = '/home/me'

function read(text: string, path = '/mcp/x.toml'): ServerDefinition {
  const reading = readDefinition(path, text, HOME)
  assert.equal(reading.kind, 'definition', JSON.stringify(reading))
  assert.ok(reading.kind === 'definition')
  return reading.definition
}

function warningsOf(text: string): readonly string[] {
  const reading = readDefinition('/mcp/x.toml', text, HOME)
  assert.ok(reading.kind === 'definition', JSON.stringify(reading))
  return reading.warnings
}

const LOCAL = '[server]\ncommand = "node"\n'

test('readDefinition() fills in the documented defaults', () => {
  assert.deepEqual(read(LOCAL), {
    id: 'x',
    name: 'x',
    description: '',
    label: 'sensitive',
    transport: 'stdio',
    command: 'node',
    args: [],
    allowedDomains: [],
    hostsUnsaid: true,
    enabled: true,
    scopes: [],
    env: {},
    auth: {},
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 268_435_456,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
    },
    tools: {},
    config: {},
  })
})

test('readDefinition() reads every field', () => {
  const definition = read(`
name = "Google Drive"
description = """two
lines"""
label = "regulated"
allowed_domains = ["API.example.com", "*.example.org"]
transport = "stdio"
enabled = false
start = "lazy"
version = "1.2.3"
scopes = ["read"]
[server]
command = "npx"
args = ["-y", "x", ""]
[auth]
A = "vault:a/b"
B = "env:B"
C = "file:~/.token"
D = "oauth:google"
[env]
PORT = 8080
FLAG = true
TEXT = "t"
[sandbox]
mode = "container"
memory_limit = "1g"
read_only_fs = false
allow_tmp = false
watch_opening = true
own_ports = true
read_paths = ["~/notes", "/srv/data"]
write_paths = ["~/out"]
[limits]
call_timeout = "90s"
[source]
kind = "smithery"
qualified_name = "@a/b"
[package]
kind = "npm"
identifier = "x"
version = "1.2.3"
integrity = "sha512-abc"
runtime_hint = "npx"
[tools."delete all"]
semantics = "write"
enabled = false
description = "d"
[config]
depth = 3
nested = { list = [1, "a", { b = true }] }
`)
  assert.deepEqual(definition, {
    id: 'x',
    name: 'Google Drive',
    description: 'two\nlines',
    label: 'regulated',
    transport: 'stdio',
    command: 'npx',
    args: ['-y', 'x', ''],
    allowedDomains: ['api.example.com', '*.example.org'],
    enabled: false,
    start: 'lazy',
    version: '1.2.3',
    scopes: ['read'],
    source: { kind: 'smithery', qualifiedName: '@a/b' },
    package: {
      kind: 'npm',
      identifier: 'x',
      version: '1.2.3',
      integrity: 'sha512-abc',
      runtimeHint: 'npx',
    },
    env: { PORT: '8080', FLAG: 'true', TEXT: 't' },
    auth: {
      A: { scheme: 'vault', name: 'a/b' },
      B: { scheme: 'env', name: 'B' },
      C: { scheme: 'file', name: '~/.token' },
      D: { scheme: 'oauth', name: 'google' },
    },
    sandbox: {
      mode: 'container',
      memoryLimitBytes: 2 ** 30,
      readOnlyFs: false,
      allowTmp: false,
      watchesOpening: true,
      ownPorts: true,
      readPaths: ['/home/me/notes', '/srv/data'],
      writePaths: ['/home/me/out'],
    },
    limits: {
      memoryBytes: { value: 2 ** 30, from: 'server' },
      callMs: { value: 90_000, from: 'server' },
    },
    tools: { 'delete all': { semantics: 'write', enabled: false, description: 'd' } },
    config: { depth: 3, nested: { list: [1, 'a', { b: true }] } },
  })
})

test('readDefinition() infers and renames transports, and lets a remote server reach its own host', () => {
  const url = 'url = "https://mcp.example.com:8443/mcp"\n'
  assert.equal(read(url).transport, 'stream-http')
  assert.deepEqual(read(url).allowedDomains, ['mcp.example.com'])
  for (const [written, meant] of [
    ['http', 'stream-http'],
    ['streamable-http', 'stream-http'],
    ['stream-http', 'stream-http'],
    ['sse', 'sse'],
  ]) {
    assert.equal(read(`${url}transport = "${written}"`).transport, meant)
  }
  assert.equal(read('transport = "uds"\nsocket_path = "/run/x.sock"').socketPath, '/run/x.sock')
  assert.equal(read('transport = "pipe"').socketPath, '\\\\.\\pipe\\mcp-x')
  assert.equal(read(`[package]\nkind = "docker"\nidentifier = "i"\n${LOCAL}`).sandbox.mode, 'bwrap')
})

test('readDefinition() accepts autostart and token_env, the older spellings', () => {
  assert.equal(read(`autostart = true\n${LOCAL}`).start, 'eager')
  assert.equal(read(`autostart = false\n${LOCAL}`).start, 'lazy')
  assert.equal(read(`autostart = true\nstart = "lazy"\n${LOCAL}`).start, 'lazy')
  const ref = { scheme: 'env', name: 'T' }
  assert.deepEqual(read('url = "https://h.example/"\ntoken_env = "T"').auth, { bearer: ref })
  assert.deepEqual(read(`token_env = "T"\n${LOCAL}`).auth, { T: ref })
})

test('readDefinition() warns of unknown fields, with line and the nearest known name', () => {
  assert.deepEqual(
    warningsOf(`lable = "x"\nzzzzzzzz = 1\n${LOCAL}[sandbox]\nmemory_limits = "1g"`),
    [
      'line 6: sandbox.memory_limits: unknown field, did you mean "memory_limit"?',
      'line 1: lable: unknown field, did you mean "label"?',
      'line 2: zzzzzzzz: unknown field, it has no effect',
    ],
  )
})

test('readDefinition() warns of a missing sandbox and of settings that look like secrets', () => {
  const warnings = warningsOf(
    `[server]\ncommand = "x"\nargs = ["--password", "canary"]\n[env]\nDB_PASSWORD = "canary"\n[sandbox]\nmode = "none"`,
  )
  assert.match(
    warnings.join('\n'),
    /without a sandbox.*\nenv\.DB_PASSWORD looks like a secret.*\nserver\.args\[1\] looks like/s,
  )
  assert.doesNotMatch(warnings.join(), /canary/)
})

test('readDefinition() refuses a file whose name is no slug', () => {
  for (const name of ['Notion', 'my server', '-x', 'a.b', '']) {
    const path = `/mcp/${name}.toml`
    const reading = readDefinition(path, LOCAL, HOME)
    assert.ok(reading.kind === 'problems')
    assert.match(reading.problems[0]?.message ?? '', /expected a file name/)
    assert.equal(reading.problems[0]?.path, path)
  }
})
