import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { stringify } from 'smol-toml'
import { editToml, isTable, readToml, renderToml, type TomlTable } from './toml-file.ts'
import { rounds } from '../kernel/test-rounds.ts'

const key = fc.oneof(
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_-]{0,12}$/),
  fc.constantFrom('header:X-Api-Key', 'a.b', 'with space', 'quo"te', 'ünïcode'),
)
const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 20 }),
  fc.constantFrom('# not a comment', '"""', "'", 'a\nb', '\\', '[x]', ''),
)
const scalar = fc.oneof(
  text,
  fc.boolean(),
  fc.integer(),
  fc.integer({ min: -9999, max: 9999 }).map((n) => n / 8),
)
const flat = fc.dictionary(key, fc.oneof(scalar, fc.array(text, { maxLength: 3 })), {
  maxKeys: 4,
  noNullPrototype: true,
})

/** Arbitrary definitions: known sections, settings of any shape, unknown fields. */
const definition: fc.Arbitrary<TomlTable> = fc
  .record(
    {
      name: text,
      description: text,
      enabled: fc.boolean(),
      allowed_domains: fc.array(text, { maxLength: 3 }),
      version: text,
      unknown_number: fc.integer(),
      server: fc.record({ command: text, args: fc.array(text, { maxLength: 4 }) }),
      auth: flat,
      env: flat,
      sandbox: flat,
      tools: fc.dictionary(key, flat, { maxKeys: 3, noNullPrototype: true }),
      config: fc.dictionary(key, fc.oneof(scalar, flat), { maxKeys: 3, noNullPrototype: true }),
    },
    { requiredKeys: [], noNullPrototype: true },
  )
  .map(withoutEmptyTables)

/** A table header without keys means the same as no header, so an edit may drop it. */
function withoutEmptyTables(table: TomlTable): TomlTable {
  const entries = Object.entries(table).map(([name, value]): [string, unknown] => [
    name,
    isTable(value) ? withoutEmptyTables(value) : value,
  ])
  return Object.fromEntries(
    entries.filter(([, value]) => !isTable(value) || Object.keys(value).length > 0),
  )
}

/** The table as text with a comment beside every line; smol-toml writes one line per key and header. */
function commented(table: TomlTable): string {
  const lines = stringify(table).split('\n')
  return lines.map((line, index) => (line === '' ? '' : `${line} # beside ${index};`)).join('\n')
}

/**
 * The comments beside keys that exist in both tables with a value that is not a table. Settings nested under [config]
 * are left out: toml-patch rewrites such a table when values and tables change places in it.
 */
function lastingComments(source: string, intended: TomlTable): readonly string[] {
  let section: TomlTable | undefined = intended
  return source.split('\n').flatMap((line) => {
    const comment = /# beside \d+;$/.exec(line)?.[0]
    const reading = readToml(line)
    if (comment === undefined || reading.kind === 'mistake') return []
    if (line.startsWith('[')) {
      section = follow(intended, reading.table)
      return []
    }
    const name = Object.keys(reading.table)[0] ?? ''
    const value = section !== undefined && Object.hasOwn(section, name) ? section[name] : undefined
    return value === undefined || isTable(value) ? [] : [comment]
  })
}

/** The table of `intended` that the header line (parsed alone) names. */
function follow(intended: TomlTable, header: TomlTable): TomlTable | undefined {
  const name = Object.keys(header)[0]
  if (name === undefined) return intended
  if (name === 'config') return undefined
  const inside = header[name]
  const value = Object.hasOwn(intended, name) ? intended[name] : undefined
  return isTable(value) && isTable(inside) ? follow(value, inside) : undefined
}

test('editToml() says exactly what was meant and keeps the comments of what stays, for any definitions', () => {
  let kept = 0
  fc.assert(
    fc.property(
      definition,
      definition,
      fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
      (before, other, choices) => {
        const names = [...new Set([...Object.keys(before), ...Object.keys(other)])]
        const intended = withoutEmptyTables(
          Object.fromEntries(
            names.flatMap((name, index) => {
              const from = choices[index % 12] ? before : other
              return Object.hasOwn(from, name) ? [[name, from[name]]] : []
            }),
          ),
        )
        const source = commented(before)
        const edited = editToml(source, intended)
        const reading = readToml(edited)
        assert.equal(reading.kind, 'table')
        assert.deepEqual(reading.kind === 'table' && reading.table, intended)
        for (const comment of lastingComments(source, intended)) {
          assert.ok(edited.includes(comment), `lost ${comment} in\n${source}\n→\n${edited}`)
          kept += 1
        }
      },
    ),
    { numRuns: rounds(500, 150) },
  )
  assert.ok(kept > 500, 'the property looked at comments')
})

test('editToml() keeps the comments above, beside and between, and gives a new section its header', () => {
  const before = `# about the file

name = "x" # beside
# above
description = "old"

[server]
# why this one
command = "node"
`
  const after = editToml(before, {
    name: 'x',
    description: 'new',
    server: { command: 'node' },
    auth: { TOKEN: 'vault:x' },
  })
  assert.equal(after, `${before.replace('old', 'new')}\n[auth]\nTOKEN = "vault:x"\n`)
})

test('editToml() writes a file anew that was no TOML', () => {
  assert.equal(editToml('not = = toml', { name: 'x' }), 'name = "x"\n')
})

test('renderToml() refuses what TOML cannot say', () => {
  assert.throws(() => renderToml({ name: '\ud800' }), { code: 'servers.toml-edit' })
})

test('readToml() says where a mistake is without quoting the file', () => {
  const reading = readToml('name = "x"\ntoken = ghp_canarycanarycanary\n')
  assert.deepEqual(reading, {
    kind: 'mistake',
    line: 2,
    message: 'not valid TOML at column 9: invalid value',
  })
})

test('readToml() refuses keys that reach into the language', () => {
  assert.equal(readToml('[__proto__]\npolluted = true').kind, 'mistake')
})
