/** Plants one violation of each law of the house in a copy of it, and expects the machine that guards the law to say no. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const copy = mkdtempSync(path.join(tmpdir(), 'cordon-house-'))

before(() => {
  for (const item of ['src', 'tsconfig.base.json', '.oxlintrc.json', 'package.json']) {
    cpSync(path.join(root, item), path.join(copy, item), { recursive: true })
  }
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'))
})
after(() => rmSync(copy, { recursive: true }))

function run(tool: string, args: readonly string[]): { status: number | null; output: string } {
  const bin = path.join(root, 'node_modules', '.bin', tool)
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd: copy, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

const compile = (room = 'vault') => run('tsc', ['-b', `src/${room}`])
const lint = (file: string) => run('oxlint', ['--type-aware', '--deny-warnings', file])

function plant(file: string, content: string): string {
  const target = path.join(copy, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, `/** Planted. */\n${content}\n`)
  return file
}

test('the house as it is obeys its laws', () => {
  assert.deepEqual(compile(), { status: 0, output: '' })
  const { status, output } = run('oxlint', ['--type-aware', '--deny-warnings', 'src'])
  assert.equal(status, 0, output)
})

test('STAR-1: a room that imports another room does not compile', () => {
  const file = plant('src/vault/planted.ts', "export type { Store } from '../store/open-store.ts'")
  const { status, output } = compile()
  rmSync(path.join(copy, file))
  assert.notEqual(status, 0)
  assert.match(output, /src\/vault.*TS6307|TS6307.*src\/store/s)
})

test('STAR-1: a room that is no surface and imports the API does not compile', () => {
  const file = plant('src/vault/planted.ts', "export type { Api } from '../api/contract.ts'")
  const { status, output } = compile()
  rmSync(path.join(copy, file))
  assert.notEqual(status, 0)
  assert.match(output, /src\/vault.*TS6307|TS6307.*src\/api/s)
})

test('STAR-3: text/ that imports a room, even the kernel, does not compile', () => {
  assert.deepEqual(compile('text'), { status: 0, output: '' })
  const file = plant('src/text/planted.ts', "export type { Json } from '../kernel/json.ts'")
  const { status, output } = compile('text')
  rmSync(path.join(copy, file))
  assert.notEqual(status, 0)
  assert.match(output, /src\/text.*TS6307|TS6307.*src\/kernel/s)
})

const floating = 'export function later(): void {\n  Promise.resolve(1)\n}'
const oversized = Array.from({ length: 300 }, (_, line) => `export const line${line} = 1`).join(
  '\n',
)
const violations: readonly (readonly [string, string, string, string])[] = [
  ['a floating promise', 'src/audit/planted.ts', floating, 'no-floating-promises'],
  ['a file of more than 300 lines', 'src/audit/planted.ts', oversized, 'max-lines'],
  ...['node:child_process', 'child_process', 'node:cluster'].map(
    (name) =>
      [
        `${name} outside sandbox/`,
        'src/web/planted.ts',
        `export * as planted from '${name}'`,
        'no-restricted-imports',
      ] as const,
  ),
  ...['node:net', 'node:http', 'node:https', 'node:tls', 'node:dgram', 'node:dns', 'undici'].map(
    (name) =>
      [
        `${name} outside egress/`,
        'src/vault/planted.ts',
        `import * as planted from '${name}'\nexport const used: unknown = planted`,
        'no-restricted-imports',
      ] as const,
  ),
  [
    'an outward connection from web/, which may only listen',
    'src/web/planted.ts',
    "import { connect } from 'node:net'\nexport const used: unknown = connect",
    'no-restricted-imports',
  ],
  ...[
    '../kernel/json.ts',
    'node:fs',
    'fs/promises',
    'node:child_process',
    'node:net',
    'node:worker_threads',
    'pino',
  ].map(
    (name) =>
      [
        `${name} in text/`,
        'src/text/planted.ts',
        `export * as planted from '${name}'`,
        'no-restricted-imports',
      ] as const,
  ),
  ...["fetch('http://127.0.0.1')", "process.stdout.write('x')"].map(
    (call) =>
      [
        `${call} in text/`,
        'src/text/planted.ts',
        `export const used: unknown = ${call}`,
        'no-restricted-globals',
      ] as const,
  ),
  [
    'fetch outside egress/',
    'src/servers/planted.ts',
    "export const used: unknown = fetch('http://127.0.0.1')",
    'no-restricted-globals',
  ],
  [
    'process.env outside main.ts',
    'src/vault/planted.ts',
    "export const used: unknown = process.env['HOME']",
    'no-process-env',
  ],
  [
    'process.exit, which skips disposal',
    'src/cli/planted.ts',
    'export function end(): void {\n  process.exit(1)\n}',
    'no-process-exit',
  ],
  ['a default export', 'src/kernel/planted.ts', 'export default 1', 'no-default-export'],
]

for (const [name, file, content, rule] of violations) {
  test(`${name} is refused by ${rule}`, () => {
    plant(file, content)
    const { status, output } = lint(file)
    rmSync(path.join(copy, file))
    assert.equal(status, 1, output)
    assert.match(output, new RegExp(`\\(${rule}\\)`))
  })
}
