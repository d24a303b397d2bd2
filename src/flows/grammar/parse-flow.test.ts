import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowText, Step } from './flow-text.ts'
import { parseFlow } from './parse-flow.ts'
import type { GrammarProblem } from './problem.ts'

function flowOf(source: string | readonly string[]): FlowText {
  const read = parseFlow(source)
  assert.equal(read.kind, 'flow', JSON.stringify(read))
  return (read as { flow: FlowText }).flow
}

function problemOf(source: string | readonly string[]): GrammarProblem {
  const read = parseFlow(source)
  assert.equal(read.kind, 'problem', JSON.stringify(read))
  return (read as { problem: GrammarProblem }).problem
}

/** Names, flags and exits, without offsets. */
function shape(source: string | readonly string[]): unknown {
  return flowOf(source).statements.map((steps) => steps.map(brief))
}

function brief({ name, version, id, flags, exit }: Step): unknown {
  return [
    version === undefined ? name : `${name}@${version}`,
    ...(id === undefined ? [] : [`as ${id}`]),
    ...flags.map(({ key, value }) => (value === undefined ? [key] : [key, value])),
    ...(exit ? [exit] : []),
  ]
}

/** The values of the flags of a single step. */
function values(source: string | readonly string[]): unknown {
  return flowOf(source).statements[0]?.[0]?.flags.map(({ value }) => value)
}

test('parseFlow() reads steps, and flags in all their forms', () => {
  assert.deepEqual(shape('a --k v --l=w --m --n="x y" >> b --k=\'1\' >> c'), [
    [['a', ['k', 'v'], ['l', 'w'], ['m'], ['n', 'x y']], ['b', ['k', '1']], ['c']],
  ])
})

test('parseFlow() joins steps at >>, at |> and at the word then, with or without spaces', () => {
  for (const text of ['a >> b >> c', 'a>>b>>c', 'a |> b |> c', 'a|>b>>c', 'a then b then c']) {
    assert.deepEqual(shape(text), [[['a'], ['b'], ['c']]], text)
  }
})

test('parseFlow() takes a join for a value where it is quoted or stands behind =', () => {
  assert.deepEqual(values(`a --k 'then' --l=then --m ">>" --n '|>' --o=\\>\\>`), [
    'then',
    'then',
    '>>',
    '|>',
    '>>',
  ])
})

test('parseFlow() reads quotes and escapes like a shell, and control characters in double quotes', () => {
  assert.deepEqual(values(String.raw`a --k 'it is \n "so"' --l "a\n\"b\"\\" --m x\ y\'z`), [
    String.raw`it is \n "so"`,
    'a\n"b"\\',
    "x y'z",
  ])
  assert.deepEqual(values('a --k "one \\\ntwo\\\r\n three"'), ['one two three'])
  assert.deepEqual(values(`a --k pre"mid dle"'post' --l= --m '' --n ""`), [
    'premid dlepost',
    '',
    '',
    '',
  ])
})

test('parseFlow() keeps references and their escapes as they are written', () => {
  const text = 'a --k ${x.y[0].z-w} --l "${x} and $${y}" --m=pre-${x}'
  assert.deepEqual(values(text), ['${x.y[0].z-w}', '${x} and $${y}', 'pre-${x}'])
})

test('parseFlow() reads a value that starts with a dash where it cannot be a flag', () => {
  assert.deepEqual(values(`a --k -5 --l=-x --m '--quoted' --n -.5 --o -`), [
    '-5',
    '-x',
    '--quoted',
    '-.5',
    '-',
  ])
})

test('parseFlow() gives a flag that is followed by another one, by a join or by nothing no value', () => {
  assert.deepEqual(shape('a --k --l >> b --m\nc --n'), [
    [
      ['a', ['k'], ['l']],
      ['b', ['m']],
    ],
    [['c', ['n']]],
  ])
})

test('parseFlow() keeps every time a flag is given', () => {
  assert.deepEqual(shape('a --t x --t=y --t'), [[['a', ['t', 'x'], ['t', 'y'], ['t']]]])
})

test('parseFlow() reads names with a namespace, a version, a dot, and the three words', () => {
  assert.deepEqual(
    shape('core/read-file@1.2.0-rc.1 >> mcp_github.search_code >> mcp github search-code --q x'),
    [
      [
        ['core/read-file@1.2.0-rc.1'],
        ['mcp_github.search_code'],
        ['mcp-github-search-code', ['q', 'x']],
      ],
    ],
  )
})

test('parseFlow() names a step after "as", and takes the word for a value elsewhere', () => {
  assert.deepEqual(shape('a as first --k as >> b@2 as second'), [
    [
      ['a', 'as first', ['k', 'as']],
      ['b@2', 'as second'],
    ],
  ])
})

test('parseFlow() reads the way out that one action takes, and how often', () => {
  assert.deepEqual(shape('a --k v - "rate_limited" >> retry >> a\na - timeout max 5 >> b'), [
    [['a', ['k', 'v'], { action: 'rate_limited' }], ['retry'], ['a']],
    [['a', { action: 'timeout', max: 5 }], ['b']],
  ])
  assert.deepEqual(shape('a --flag - "x" >> b'), [[['a', ['flag'], { action: 'x' }], ['b']]])
  assert.deepEqual(shape('a --file - >> b'), [[['a', ['file', '-']], ['b']]])
})

test('parseFlow() goes on over lines with a join, a flag, a way out or a backslash, and past comments', () => {
  const file = `#!/usr/bin/env cordon
# finds things to do
mcp-github-search-code   # the server of the company
  --query "TODO" \\
  --language C#

  >> llm --prompt "two
lines" >>
  # in between
  write-file
  --path out.md

mcp-github-search-code
  - "timeout" >> wait then
  mcp-github-search-code
`
  const expected = [
    [
      ['mcp-github-search-code', ['query', 'TODO'], ['language', 'C#']],
      ['llm', ['prompt', 'two\nlines']],
      ['write-file', ['path', 'out.md']],
    ],
    [['mcp-github-search-code', { action: 'timeout' }], ['wait'], ['mcp-github-search-code']],
  ]
  assert.deepEqual(shape(file), expected)
  assert.deepEqual(shape(`\uFEFF${file.replaceAll('\n', '\r\n')}`), [
    [expected[0]![0], ['llm', ['prompt', 'two\r\nlines']], expected[0]![2]],
    expected[1],
  ])
})

test('parseFlow() reads the words of a shell as they are', () => {
  assert.deepEqual(
    shape(['a', '--k', 'x y', '>>', 'b', '--l=#1', 'then', 'c', '--m', '|', '--n', '"q"']),
    [
      [
        ['a', ['k', 'x y']],
        ['b', ['l', '#1']],
        ['c', ['m', '|'], ['n', '"q"']],
      ],
    ],
  )
  assert.deepEqual(shape(['a', '>>', 'b']), [[['a'], ['b']]])
  assert.deepEqual(shape(['a', '-', 'timeout', '>>', 'mcp', 'x', 'y']), [
    [['a', { action: 'timeout' }], ['mcp-x-y']],
  ])
  assert.deepEqual(shape(['a --k "v w" >> b']), [[['a', ['k', 'v w']], ['b']]])
})

const PROBLEMS: readonly (readonly [string, string, number, number, RegExp])[] = [
  ['', 'flows.empty', 1, 1, /Name a node/],
  ['  \n# only words\n', 'flows.empty', 1, 1, /Name a node/],
  ['a >>', 'flows.dangling', 1, 3, /Name the node/],
  ['a >> >> b', 'flows.dangling', 1, 3, /Name the node/],
  ['\n  >> a', 'flows.dangling', 2, 3, /Start with/],
  ['--k v', 'flows.dangling', 1, 1, /Start with/],
  ['a >> --k v', 'flows.dangling', 1, 6, /Start with/],
  ['a --k "open\nb', 'flows.bad-quote', 1, 7, /Close it/],
  ["a --k 'open", 'flows.bad-quote', 1, 7, /Close it/],
  [String.raw`a --k C:\dir`, 'flows.bad-quote', 1, 9, /single quotes/],
  [String.raw`a --k "\d"`, 'flows.bad-quote', 1, 8, /two backslashes/],
  [String.raw`a --k "\${x}"`, 'flows.bad-quote', 1, 8, /\$\$\{/],
  ['a --k x\\', 'flows.bad-quote', 1, 8, /backslashes/],
  ['a --q find bugs', 'flows.stray-word', 1, 12, /--q "…"/],
  ['a b', 'flows.stray-word', 1, 3, />>/],
  ['a --k v as x', 'flows.stray-word', 1, 9, /right after the name/],
  ['a --channel #general', 'flows.ambiguous-comment', 1, 13, /Quote/],
  ['a | b', 'flows.shell-sign', 1, 3, />>/],
  ['a -> b', 'flows.shell-sign', 1, 3, />>/],
  ['a >>> b', 'flows.shell-sign', 1, 5, />>/],
  ['a>>>b', 'flows.bad-name', 1, 4, /registry list/],
  ['a > out.txt', 'flows.shell-sign', 1, 3, /write-file/],
  ['a --k “x”', 'flows.bad-character', 1, 7, /straight/],
  ['a --k=“x”', 'flows.bad-character', 1, 3, /straight/],
  ['a —k x', 'flows.bad-character', 1, 3, /--/],
  ['a --k \ud800', 'flows.bad-character', 1, 7, /UTF-8/],
  ['a -k x', 'flows.bad-flag', 1, 3, /two dashes/],
  ['a --k -x', 'flows.bad-flag', 1, 7, /--k=VALUE/],
  ['a --"k"=v', 'flows.bad-flag', 1, 3, /value only/],
  ['a -- k', 'flows.bad-flag', 1, 3, /--key/],
  ['a --k"x"=v', 'flows.bad-flag', 1, 3, /value only/],
  ['a --k"x" v', 'flows.bad-flag', 1, 3, /value only/],
  [`a --${'k'.repeat(201)}`, 'flows.bad-flag', 1, 3, /--key/],
  [`a >> ${'b'.repeat(201)}`, 'flows.bad-name', 1, 6, /registry list/],
  ['a ---k', 'flows.bad-flag', 1, 3, /--key/],
  ['a --=v', 'flows.bad-flag', 1, 3, /--key/],
  ['a/ --k', 'flows.bad-name', 1, 1, /registry list/],
  ['a@ >> b', 'flows.bad-name', 1, 1, /version/],
  ['"a b" >> c', 'flows.bad-name', 1, 1, /quotes/],
  ['mcp github', 'flows.bad-name', 1, 11, /SERVER TOOL/],
  ['a as', 'flows.bad-name', 1, 5, /after "as"/],
  ['a as b.c', 'flows.bad-name', 1, 6, /after "as"/],
  ['a - >> b', 'flows.bad-action', 1, 3, /ACTION/],
  ['a - "x"', 'flows.bad-action', 1, 3, /ACTION/],
  ['a - "x y" >> b', 'flows.bad-action', 1, 5, /one action/],
  ['a - x max 0 >> b', 'flows.bad-action', 1, 11, /1 to 100/],
]

test('parseFlow() says what is wrong, where, and what to write', () => {
  for (const [text, code, line, column, hint] of PROBLEMS) {
    const problem = problemOf(text)
    assert.deepEqual([problem.code, problem.line, problem.column], [code, line, column], text)
    assert.match(problem.hint, hint, text)
    assert.match(problem.message, /^Cannot .*[^.]$/, text)
  }
})

test('a problem shows its place with a caret, also in a long line and beside odd characters', () => {
  assert.equal(problemOf('a\nb\t--k "😀" x').excerpt, '  b --k "😀" x\n            ^')
  assert.equal(
    problemOf('a --k \u202e\u0007\u001b[2J | b').excerpt,
    '  a --k ···[2J | b\n               ^',
  )
  const long = problemOf(`${'a >> '.repeat(100)}b | ${'c '.repeat(100)}`)
  const [text = '', caret = ''] = long.excerpt.split('\n')
  assert.equal(long.column, 503)
  assert.ok(text.length < 80, text)
  assert.equal(text.charAt(caret.indexOf('^')), '|')
})

test('a problem in the words of a shell shows the command as one would type it', () => {
  const { excerpt, column } = problemOf(['a', '--k', 'x y', 'stray'])
  assert.equal(excerpt, "  a --k 'x y' stray\n              ^")
  assert.equal(column, 13)
  assert.equal(problemOf(['a', 'x y']).excerpt, "  a 'x y'\n     ^")
  const odd = problemOf(['a', '--k', 'it\'s\n"', '-x'])
  assert.deepEqual([odd.line, odd.excerpt.split('\n').length], [1, 2])
})

test('a problem never repeats a value in its message or hint', () => {
  for (const text of [
    'a --token s3cr3t s3cr3t',
    'a --k "s3cr3t',
    'a s3cr3t',
    'a --k -s3cr3t',
    's3cr3t! >> b',
  ]) {
    const { message, hint } = problemOf(text)
    assert.doesNotMatch(message + hint, /s3cr3t/, text)
  }
})

test('parseFlow() refuses a text of more than a million characters', () => {
  assert.equal(problemOf(`a --k "${'x'.repeat(1_000_000)}"`).code, 'flows.too-long')
  assert.equal(problemOf(['a', '--k', 'x'.repeat(1_000_000)]).code, 'flows.too-long')
  assert.equal(parseFlow(`a --k "${'x'.repeat(999_000)}"`).kind, 'flow')
})
