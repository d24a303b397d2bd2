/**
 * Plants one violation of each law of the house, each in a file of its own under the real configuration, and expects
 * the tool that enforces the law (tsc, oxlint) to reject that file and no other.
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
/** A copy of every room's configuration without any source, so that only the planted files exist. */
const house = mkdtempSync(path.join(tmpdir(), 'cordon-house-'))
after(() => rmSync(house, { recursive: true }))
for (const file of ['tsconfig.base.json', '.oxlintrc.json', 'package.json']) {
  cpSync(path.join(root, file), path.join(house, file))
}
for (const file of globSync('src/*/tsconfig.json', { cwd: root })) {
  cpSync(path.join(root, file), path.join(house, file))
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

/** Compiles a room beside a planted file of another room: passes at first, fails once the room imports that file. */
function refusesImport(room: string, other: string): void {
  for (const leaf of ['text', 'labels', 'kernel', 'ports', room, other]) {
    plant(`src/${leaf}/word.ts`, 'export interface Word {\n  readonly text: string\n}')
  }
  assert.deepEqual(run('tsc', ['-b', `src/${room}`]), { status: 0, output: '' })
  plant(`src/${room}/planted.ts`, `export type { Word } from '../${other}/word.ts'`)
  // A build without --force looks at modification times: a clock set back between the two would hide the new file.
  const { status, output } = run('tsc', ['-b', '--force', `src/${room}`])
  rmSync(path.join(house, 'src', room, 'planted.ts'))
  assert.notEqual(status, 0)
  assert.match(output, new RegExp(`src/${room}.*TS6307|TS6307.*src/${other}`, 's'))
}

test('STAR-1: a room that imports another room does not compile', () => {
  refusesImport('vault', 'store')
})

test('STAR-1: a room that is no surface and imports the API does not compile', () => {
  refusesImport('vault', 'api')
})

test('STAR-3: a leaf that imports a room, even the kernel, does not compile', () => {
  refusesImport('text', 'kernel')
  refusesImport('labels', 'kernel')
})

test('STAR-3: the kernel that imports a port of another room does not compile', () => {
  refusesImport('kernel', 'ports')
})

interface Violation {
  readonly title: string
  readonly room: string
  readonly content: string
  readonly rule: string
}

const importing = (name: string): string =>
  `import * as planted from '${name}'\nexport const used: unknown = planted`

const VIOLATIONS: readonly Violation[] = [
  {
    title: 'a floating promise',
    room: 'audit',
    content: 'export function later(): void {\n  Promise.resolve(1)\n}',
    rule: 'no-floating-promises',
  },
  {
    title: 'a file of more than 300 lines',
    room: 'audit',
    content: Array.from({ length: 300 }, (_, line) => `export const line${line} = 1`).join('\n'),
    rule: 'max-lines',
  },
  ...['node:child_process', 'child_process', 'node:cluster'].map((name) => ({
    title: `${name} outside sandbox/`,
    room: 'web',
    content: `export * as planted from '${name}'`,
    rule: 'no-restricted-imports',
  })),
  ...['node:net', 'node:http', 'node:https', 'node:tls', 'node:dgram', 'node:dns', 'undici'].map(
    (name) => ({
      title: `${name} outside egress/`,
      room: 'vault',
      content: importing(name),
      rule: 'no-restricted-imports',
    }),
  ),
  {
    title: 'an outward connection from web/, which may only listen',
    room: 'web',
    content: "import { connect } from 'node:net'\nexport const used: unknown = connect",
    rule: 'no-restricted-imports',
  },
  ...[
    '../kernel/json.ts',
    'node:fs',
    'fs/promises',
    'node:child_process',
    'node:net',
    'node:worker_threads',
    'pino',
  ].map((name) => ({
    title: `${name} in text/`,
    room: 'text',
    content: `export * as planted from '${name}'`,
    rule: 'no-restricted-imports',
  })),
  ...['../kernel/tool-id.ts', 'node:fs', 'undici'].map((name) => ({
    title: `${name} in labels/`,
    room: 'labels',
    content: `export * as planted from '${name}'`,
    rule: 'no-restricted-imports',
  })),
  ...["fetch('http://127.0.0.1')", "process.stdout.write('x')"].map((call) => ({
    title: `${call} in text/`,
    room: 'text',
    content: `export const used: unknown = ${call}`,
    rule: 'no-restricted-globals',
  })),
  {
    title: 'fetch outside egress/',
    room: 'servers',
    content: "export const used: unknown = fetch('http://127.0.0.1')",
    rule: 'no-restricted-globals',
  },
  {
    title: 'process.env outside main.ts',
    room: 'vault',
    content: "export const used: unknown = process.env['HOME']",
    rule: 'no-process-env',
  },
  {
    title: 'process.exit, which skips disposal',
    room: 'cli',
    content: 'export function end(): void {\n  process.exit(1)\n}',
    rule: 'no-process-exit',
  },
  {
    title: 'a default export',
    room: 'kernel',
    content: 'export default 1',
    rule: 'no-default-export',
  },
]

interface Diagnostic {
  readonly filename: string
  readonly code: string
}

const fileOf = ({ room }: Violation, at: number): string => `src/${room}/planted-${at}.ts`
const BLAMELESS = 'src/vault/blameless.ts'

/** Lints all planted files in one run; returns the rules that the linter reports for each file. */
function lintAll(): ReadonlyMap<string, readonly string[]> {
  VIOLATIONS.forEach((violation, at) => plant(fileOf(violation, at), violation.content))
  plant(BLAMELESS, 'export const used: unknown = 1')
  const files = [...VIOLATIONS.map(fileOf), BLAMELESS]
  const { output } = run('oxlint', ['--type-aware', '--deny-warnings', '-f', 'json', ...files])
  for (const file of files) rmSync(path.join(house, file))
  const { diagnostics } = JSON.parse(output) as { diagnostics: readonly Diagnostic[] }
  const found = Map.groupBy(diagnostics, ({ filename }) => filename)
  return new Map(files.map((file) => [file, (found.get(file) ?? []).map(({ code }) => code)]))
}

const said = lintAll()

for (const [at, violation] of VIOLATIONS.entries()) {
  test(`${violation.title} is refused by ${violation.rule}`, () => {
    const codes = said.get(fileOf(violation, at)) ?? []
    assert.ok(
      codes.some((code) => code.endsWith(`(${violation.rule})`)),
      `the linter said ${codes.join() || 'nothing'}`,
    )
  })
}

test('a file without a violation is not refused', () => {
  assert.deepEqual(said.get(BLAMELESS), [])
})
