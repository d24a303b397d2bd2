/** Follows the walks of docs/architecture.md through the source: each stop must be reachable as the page says. */
import assert from 'node:assert/strict'
import { existsSync, globSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string): string => readFileSync(path.join(root, file), 'utf8')

interface Stop {
  readonly file: string
  /** `start`, `import`, or the name that both files use. */
  readonly how: string
}

interface Walk {
  readonly title: string
  readonly most: number
  readonly stops: readonly Stop[]
}

const STOP = /^\d+\. \[`([^`]+)`\]\(\.\.\/src\/([^)]+)\) \(([^)]*)\): \S/gm

function readWalks(): readonly Walk[] {
  const [, walks = ''] = /^## Walks\n([\s\S]*?)^## /m.exec(read('docs/architecture.md')) ?? []
  return walks.split(/^### /m).flatMap((part) => {
    const title = part.split('\n')[0] ?? ''
    const most = Number(/at most (\d+) files/i.exec(part)?.[1])
    const stops = [...part.matchAll(STOP)].map(([, shown, target = '', how = '']) => {
      assert.equal(shown, target)
      return { file: `src/${target}`, how: how.replaceAll('`', '') }
    })
    return stops.length === 0 ? [] : [{ title, most, stops }]
  })
}

function imports(from: string, to: string): boolean {
  const specifiers = [...read(from).matchAll(/(?:from|import\()\s*'(\.[^']+)'/g)]
  return specifiers.some(([, target = '']) => path.join(path.dirname(from), target) === to)
}

const SHARED = globSync('src/**/*.ts', { cwd: root })
  .filter((file) => !file.endsWith('.test.ts'))
  .map(read)
  .join('\n')

/** Both files use the name, and it is an exported type of the house or a path of the API. */
function shareName(from: string, to: string, name: string): boolean {
  const isKnown =
    name.startsWith('/') ||
    new RegExp(`^export (?:interface|type|class) ${name}\\b`, 'm').test(SHARED)
  const uses = new RegExp(`(?<![\\w-])${name}(?![\\w-])`)
  return isKnown && uses.test(read(from)) && uses.test(read(to))
}

const walks = readWalks()

test('the page has five walks, none empty', () => {
  assert.equal(walks.length, 5)
})

for (const { title, most, stops } of walks) {
  test(`the walk "${title}" holds`, () => {
    assert.ok(stops.length >= 3 && stops.length <= most, `${stops.length} files, at most ${most}`)
    for (const [at, { file, how }] of stops.entries()) {
      assert.ok(existsSync(path.join(root, file)), `${file} is not there`)
      if (at === 0) continue
      const before = stops.slice(0, at)
      const isReached = before.some((stop) =>
        how === 'import' ? imports(stop.file, file) : shareName(stop.file, file, how),
      )
      assert.ok(isReached, `${file} is not reached by ${how} from a file before it`)
    }
  })
}
