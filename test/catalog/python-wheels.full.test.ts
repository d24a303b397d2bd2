/**
 * Hostile wheels: each is refused in one sentence, nothing of it runs, nothing is written outside of its folder, no host
 * but the index is reached, and nothing is left half-installed. Real sandbox, proxy and python3.
 */
import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import type { WheelSpec } from '../fixtures/wheel.ts'
import { countRefusals } from './count-refusals.ts'
import { add, GOOD, house, index, MARKS, refused, RUNS } from './hostile-python.ts'
import { installPython } from './python-house.ts'

const LINK = 0o120777

const odd = (name: string, more: object = {}): Partial<WheelSpec> => ({
  odd: [{ name, content: RUNS, ...more }],
})

const WHEELS: readonly (readonly [string, () => Partial<WheelSpec>, RegExp])[] = [
  ['a name that leads upwards', () => odd('../evil.py'), /no plain file name/],
  [
    'a name that leads upwards further in',
    () => odd('good/../../../evil.py'),
    /no plain file name/,
  ],
  ['an absolute name', () => odd('/tmp/evil.py'), /no plain file name/],
  ['a name of Windows', () => odd('C:/evil.py'), /no plain file name/],
  ['backslashes', () => odd('..\\evil.py'), /no plain file name/],
  ['an empty part', () => odd('good//evil.py'), /no plain file name/],
  ['a dot', () => odd('./evil.py'), /no plain file name/],
  ['a control character', () => odd('good/a\nb.py'), /no plain file name/],
  ['a NUL', () => odd('good/a\0.py'), /no plain file name/],
  ['a very long name', () => odd(`good/${'a'.repeat(600)}.py`), /no plain file name/],
  [
    'a name that is short in letters and long in bytes',
    () => odd(`good/${'é'.repeat(130)}.py`),
    /no plain file name/,
  ],
  [
    'a link',
    () => odd('good/link', { content: '/etc/passwd', mode: LINK }),
    /neither a file nor a folder/,
  ],
  ['a link as a folder', () => odd('good/x', { content: '/tmp', mode: LINK }), /neither a file/],
  ['a device', () => odd('good/null', { mode: 0o020666 }), /neither a file nor a folder/],
  ['a fifo', () => odd('good/pipe', { mode: 0o010666 }), /neither a file nor a folder/],
  ['a socket', () => odd('good/socket', { mode: 0o140777 }), /neither a file nor a folder/],
  [
    'another name in the local header',
    () => odd('good/a.py', { localName: '../../b.py' }),
    /damaged/,
  ],
  ['encryption', () => odd('good/a.py', { flags: 0x801 }), /encrypted/],
  ['a file that is larger than announced', () => odd('good/a.py', { size: 3 }), /damaged/],
  ['a zip bomb', () => odd('good/a.py', { size: 0xf0_00_00_00 }), /larger than 1024 MB/],
  [
    'the same name twice',
    () => ({
      odd: [
        { name: 'good/a.py', content: '' },
        { name: 'good/a.py', content: RUNS },
      ],
    }),
    /twice/,
  ],
  [
    'a file that is a folder',
    () => ({
      odd: [
        { name: 'x', content: '' },
        { name: 'x/y.py', content: RUNS },
      ],
    }),
    /a file and a folder/,
  ],
  ['a comment after the archive', () => ({ comment: 'PK\u0005\u0006' }), /damaged/],
  [
    'an unknown data folder',
    () => ({ name: 'data-a', odd: [{ name: 'data_a-1.0.data/etc/evil', content: RUNS }] }),
    /no known folder/,
  ],
  ["another package's data folder", () => odd('other-1.0.data/purelib/evil.py'), /no known folder/],
  [
    'a data folder that leads upwards',
    () => ({
      name: 'data-b',
      odd: [{ name: 'data_b-1.0.data/scripts/../../../evil', content: RUNS }],
    }),
    /no plain file name/,
  ],
  ["a module of Python's own name", () => odd('json.py'), /"json", which is one of Python's own/],
  ["a package of Python's own name", () => odd('asyncio/__init__.py'), /"asyncio", which is one/],
  [
    "a native module of Python's own name",
    () => odd('_socket.cpython-311-x86_64-linux-gnu.so'),
    /"_socket", which is one/,
  ],
  [
    'a standard module by its data folder',
    () => ({ name: 'data-c', odd: [{ name: 'data_c-1.0.data/purelib/os.py', content: RUNS }] }),
    /"os", which is one/,
  ],
  [
    'a RECORD with another hash',
    () => ({
      record: (rows) => rows.map((row) => row.replace(/(good\/__init__.py,sha256=)./, '$1-')),
    }),
    /not what its list of files says/,
  ],
  [
    'a RECORD without one of the files',
    () => ({ record: (rows) => rows.slice(1) }),
    /not what its list/,
  ],
  [
    'a RECORD with a file that is not there',
    () => ({ record: (rows) => [...rows, 'ghost.py,sha256=x,1'] }),
    /"ghost.py" of its list of files is missing/,
  ],
  [
    'a RECORD with MD5 only',
    () => ({ record: (rows) => rows.map((row) => row.replace('sha256=', 'md5=')) }),
    /not what its list/,
  ],
  [
    'the metadata of another package',
    () => ({ metadata: 'Metadata-Version: 2.1\nName: other\nVersion: 1.0\n' }),
    /of another package/,
  ],
  [
    'the metadata of another version',
    () => ({
      name: 'other-version',
      metadata: 'Metadata-Version: 2.1\nName: other-version\nVersion: 9.0\n',
    }),
    /of another package/,
  ],
  ['metadata without a name', () => ({ metadata: 'hello' }), /description is damaged/],
  ['the folder of another package', () => ({ info: 'other-1.0.dist-info' }), /of another package/],
  ['two folders of metadata', () => odd('other-1.0.dist-info/METADATA'), /of another package/],
  ['a wheel of another kind', () => ({ wheelVersion: '9.0' }), /no wheel that Cordon knows/],
  ['a program that is a path', () => ({ programs: { run: '/bin/sh' } }), /no function of a module/],
  [
    'a program that leads upwards',
    () => ({ programs: { run: '../good:main' } }),
    /no function of a module/,
  ],
  [
    'a program with code in it',
    () => ({ programs: { run: 'good:main();import os' } }),
    /no function of a module/,
  ],
  [
    'a program of a module that is not there',
    () => ({ programs: { run: 'nowhere:main' } }),
    /module of its program is missing/,
  ],
  [
    'a program with a path as its name',
    () => ({ programs: { '../../evil': 'good:main' } }),
    /odd name/,
  ],
  ['no program at all', () => ({ programs: {} }), /no program/],
  [
    'a dependency from an address',
    () => ({ requires: ['x @ https://evil.example/x-1.0-py3-none-any.whl'] }),
    /comes from elsewhere/,
  ],
  [
    'a dependency from a file',
    () => ({ requires: ['x @ file:///etc/passwd'] }),
    /comes from elsewhere/,
  ],
  [
    'a dependency from git',
    () => ({ requires: ['x @ git+https://evil.example/x'] }),
    /comes from elsewhere/,
  ],
  [
    'a dependency that is an option of pip',
    () => ({ requires: ['--extra-index-url https://evil.example'] }),
    /cannot be read/,
  ],
  [
    'a dependency that nobody has',
    () => ({ requires: ['nobody-has-this'] }),
    /knows no "nobody-has-this"/,
  ],
  [
    'a condition with code in it',
    () => ({ requires: ['x ; __import__("os").system("x")'] }),
    /cannot be read/,
  ],
  [
    'a dependency on itself in another version',
    () => ({ name: 'itself', requires: ['itself>=2'] }),
    /"itself" does not take/,
  ],
]

const count = countRefusals('wheels', WHEELS.length)
for (const [what, spec, why] of WHEELS) {
  test(`a wheel is refused: ${what}`, async () => {
    await refused(add(spec()), why)
    count()
  })
}

test('what Python would run by itself, and what was compiled elsewhere, is left out', async () => {
  const name = add({
    odd: [
      { name: 'evil.pth', content: `import os; ${RUNS.replaceAll('\n', ';')}` },
      { name: 'sitecustomize.py', content: RUNS },
      { name: 'good/__pycache__/x.cpython-311.pyc', content: 'x' },
    ],
  })
  const it = await installPython(house, name)
  assert.deepEqual(it.refusedScripts, [name])
  for (const file of ['evil.pth', 'sitecustomize.py', 'good/__pycache__/x.cpython-311.pyc']) {
    assert.ok(!existsSync(`${it.folder}/site/${file}`), file)
  }
  for (const mark of MARKS) assert.ok(!existsSync(mark), mark)
  await house.packages.remove('it@1.0')
})

test('a file of one package that is a folder of another, or of its own data folder, is refused', async () => {
  index.add({ name: 'as-file', files: { 'both.d': 'a file' } })
  index.add({ name: 'as-folder', files: { 'both.d/__init__.py': '' } })
  const why = /"both\.d[^"]*" is a file and a folder/
  await refused(add({ requires: ['as-file', 'as-folder'] }), why)
  index.add({ name: 'other-file', files: { 'both.d': 'a file' } })
  await refused(add({ requires: ['as-folder', 'other-file'] }), why)
  const data = `with_data-1.0.data/purelib`
  const inside = [{ name: `${data}/good/__init__.py/x.py`, content: '' }]
  await refused(add({ name: 'with-data', odd: inside }), /is a file and a folder/)
})

test('two packages with the same file are refused, one with another spelling of its name is not', async () => {
  index.add({ name: 'Part_Two', files: { 'shared.py': 'a = 1\n' } })
  const name = add({ files: { ...GOOD, 'shared.py': 'a = 2\n' }, requires: ['part.TWO'] })
  await refused(name, /"shared.py" comes with/)
})
