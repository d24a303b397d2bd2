/**
 * Plants one violation of each law of the house, each in a file of its own under the real configuration, and expects the
 * machine that guards the law to say no to that file and to nothing else.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { onlyInFull } from '../../src/kernel/test-rounds.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
/** The configuration of every room with one word in it, and no source: what is planted is all there is. */
const house = mkdtempSync(path.join(tmpdir(), 'cordon-house-'))
after(() => rmSync(house, { recursive: true }))
for (const file of ['tsconfig.base.json', '.oxlintrc.json', 'package.json']) {
  cpSync(path.join(root, file), path.join(house, file))
}
for (const file of globSync('src/*/tsconfig.json', { cwd: root })) {
  cpSync(path.join(root, file), path.join(house, file))
  plant(
    path.join(path.dirname(file), 'word.ts'),
    'export interface Word {\n  readonly text: string\n}',
  )
}
symlinkSync(path.join(root, 'node_modules'), path.join(house, 'node_modules'))

function run(
  tool: string,
  args: readonly string[],
  cwd = house,
): { status: number | null; output: string } {
  const bin = path.join(root, 'node_modules', '.bin', tool)
  const { status, stdout, stderr } = spawnSync(bin, args, { cwd, encoding: 'utf8' })
  return { status, output: stdout + stderr }
}

function plant(file: string, content: string): void {
  const target = path.join(house, file)
  mkdirSync(path.dirname(target), { recursive: true })
  writeFileSync(target, `/** Planted. */\n${content}\n`)
}

test('the house as it is obeys its laws', onlyInFull, () => {
  assert.deepEqual(run('tsc', ['-b'], root), { status: 0, output: '' })
  const { status, output } = run('oxlint', ['--type-aware', '--deny-warnings', 'src'], root)
  assert.equal(status, 0, output)
})

const compile = (room: string) => run('tsc', ['-b', `src/${room}`])

/** A room compiles as it is, and no longer once a file of it imports a file of that other room. */
function refusesImport(room: string, other: string): void {
  assert.deepEqual(compile(room), { status: 0, output: '' })
  plant(`src/${room}/stranger.ts`, `export type { Word } from '../${other}/word.ts'`)
  const { status, output } = compile(room)
  rmSync(path.join(house, `src/${room}/stranger.ts`))
  assert.notEqual(status, 0)
  assert.match(output, new RegExp(`src/${room}.*TS6307|TS6307.*src/${other}`, 's'))
}

test('STAR-1: a room that imports another room does not compile', () => {
  refusesImport('vault', 'store')
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

interface Diagnostic {
  readonly filename: string
  readonly code: string
}

/** Each violation in a file of its own. */
const fileOf = (file: string, at: number): string => file.replace('.ts', `-${at}.ts`)
const BLAMELESS = 'src/vault/blameless.ts'

/** One run over all that is planted: what the linter says about each file. */
function lintAll(): ReadonlyMap<string, readonly string[]> {
  const planted = violations.map(([, file, content], at) => [fileOf(file, at), content] as const)
  const files = [...planted, [BLAMELESS, 'export const used: unknown = 1'] as const]
  for (const [file, content] of files) plant(file, content)
  const names = files.map(([file]) => file)
  const { output } = run('oxlint', ['--type-aware', '--deny-warnings', '-f', 'json', ...names])
  const { diagnostics } = JSON.parse(output) as { diagnostics: readonly Diagnostic[] }
  const found = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map(names.map((file) => [file, (found.get(file) ?? []).map(({ code }) => code)]))
}

const said = lintAll()

for (const [at, [name, file, , rule]] of violations.entries()) {
  test(`${name} is refused by ${rule}`, () => {
    const codes = said.get(fileOf(file, at)) ?? []
    assert.ok(
      codes.some((code) => code.endsWith(`(${rule})`)),
      `the linter said ${codes.join() || 'nothing'}`,
    )
  })
}

test('a file without a violation is not refused', () => {
  assert.deepEqual(said.get(BLAMELESS), [])
})
