/** Installs of Python packages: real sandbox, real proxy, real python3, an index on loopback. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { openPythonIndex, PIP_SETTINGS } from '../fixtures/python-index.ts'
import { addTinyServer, installPython, openPythonHouse } from './python-house.ts'
import type { PackageHouse } from './package-house.ts'

const index = await openPythonIndex()
after(() => index[Symbol.asyncDispose]())
const integrity = addTinyServer(index)

async function ask(house: PackageHouse, entry: string, ...lines: object[]): Promise<string> {
  await using running = await house.sandbox.launch(
    {
      server: parseServerId('it'),
      command: 'python3',
      args: ['-ISB', entry],
      environment: {},
      networked: false,
      settings: {
        mode: 'bwrap',
        memoryLimitBytes: 2 ** 28,
        readOnlyFs: true,
        allowTmp: true,
        readPaths: [],
        writePaths: [],
      },
    },
    never,
  )
  running.stdin.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  const [out, errors] = await Promise.all([running.stdout.toArray(), running.stderr.toArray()])
  return Buffer.concat([...out, ...errors]).toString()
}

const CALL = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { arguments: { name: 'Ann' } } }

for (const format of ['html', 'json'] as const) {
  test(`a Python server is installed from an index that speaks ${format}, and answers`, async () => {
    index.format = format
    await using house = await openPythonHouse(index)
    const it = await installPython(house, 'Tiny.MCP')
    assert.deepEqual(house.list(), ['it@1.0'])
    assert.equal(it.entry, path.join(house.root, 'it@1.0/bin/tiny-mcp.py'))
    assert.partialDeepStrictEqual(it, {
      package: 'tiny-mcp',
      version: '1.0',
      integrity,
      mcpName: 'io.example/tiny',
      packages: 2,
      refusedScripts: [],
    })
    assert.match(await ask(house, it.entry, CALL), /Hello Ann/)
    const lock = readFileSync(path.join(it.folder, 'python-lock.json'), 'utf8')
    assert.match(
      lock,
      /"name": "tiny-words",\s+"version": "1.0",\s+"file": "[^"]+",\s+"sha256": "[0-9a-f]{64}"/,
    )
    assert.doesNotMatch(lock, /https|allowed\.example/)
    assert.ok(existsSync(path.join(it.folder, 'site/tiny_mcp/__pycache__')))
    await house.packages.check(it.folder)
  })
}

test('an installed Python package is used again without network or sandbox', async () => {
  await using house = await openPythonHouse(index)
  const first = await installPython(house, 'tiny-mcp')
  const none = { launch: () => Promise.reject(new Error('started a process')) }
  await using later = await openPythonHouse(index, { home: house.home, sandbox: none })
  const before = index.requests.length
  assert.deepEqual(await installPython(later, 'tiny-mcp'), first)
  assert.equal(index.requests.length, before)
})

test('the login of an index is sent to it, and shown nowhere', async () => {
  const secret = 'owners-secret'
  const environment = {
    ...PIP_SETTINGS,
    PIP_INDEX_URL: `https://ann:${secret}@allowed.example/simple`,
  }
  await using house = await openPythonHouse(index, { environment })
  index.credentials.length = 0
  await installPython(house, 'tiny-mcp', { version: 'latest' })
  const basic = `Basic ${Buffer.from(`ann:${secret}`).toString('base64')}`
  assert.deepEqual([...new Set(index.credentials)], [basic])
  await assert.rejects(installPython(house, 'no-such-thing', { version: '2.0' }), {
    code: 'catalog.no-such-package',
  })
  assert.doesNotMatch(JSON.stringify([house.events, house.logged]), new RegExp(secret))
})

const EXTENSION = `
#include <Python.h>
static PyObject *answer(PyObject *self, PyObject *args) { return PyLong_FromLong(42); }
static PyMethodDef methods[] = {{"answer", answer, METH_NOARGS, ""}, {NULL, NULL, 0, NULL}};
static struct PyModuleDef module = {PyModuleDef_HEAD_INIT, "native_part", "", -1, methods};
PyMODINIT_FUNC PyInit_native_part(void) { return PyModule_Create(&module); }
`

/** Compiled here; undefined where there is no compiler or no header of Python. */
function buildExtension(): { readonly bytes: Buffer; readonly tag: string } | undefined {
  const facts =
    'import sys,sysconfig;print(sysconfig.get_paths()["include"],"%d%d"%sys.version_info[:2],sysconfig.get_platform())'
  const [include = '', version = '', platform = ''] = execFileSync('/usr/bin/python3', [
    '-c',
    facts,
  ])
    .toString()
    .trim()
    .split(' ')
  if (!existsSync(path.join(include, 'Python.h'))) return undefined
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-native-'))
  try {
    const file = path.join(folder, 'part.so')
    const how = ['-shared', '-fPIC', '-x', 'c', '-', `-I${include}`, '-o', file]
    execFileSync('gcc', how, { input: EXTENSION })
    const tag = `cp${version}-cp${version}-${platform.replaceAll(/[-.]/g, '_')}`
    return { bytes: readFileSync(file), tag }
  } catch {
    return undefined
  } finally {
    rmSync(folder, { recursive: true })
  }
}

const native = buildExtension()

test('a wheel with native code is installed for this machine, and its code is loaded', {
  skip: native === undefined && 'no C compiler or no Python.h',
}, async () => {
  assert.ok(native)
  const main = 'import native_part\n\ndef main():\n    print("native", native_part.answer())\n'
  const files = { 'native_part.so': native.bytes, 'native_main.py': main }
  const programs = { 'native-mcp': 'native_main:main' }
  index.add({ name: 'native-mcp', tag: native.tag, files, programs })
  index.add({ name: 'native-mcp', tag: 'cp311-cp311-win_amd64', files, programs })
  await using house = await openPythonHouse(index)
  const it = await installPython(house, 'native-mcp')
  assert.match(await ask(house, it.entry), /native 42/)
})

test('garbage is collected rarely while a program is imported, and as usual while it runs', async () => {
  const say = (when: string) => `print("${when}", gc.get_threshold()[0] > 10000, gc.isenabled())`
  const usual = `import gc\n${say('import')}\n\ndef main():\n    ${say('run')}\n`
  const own = usual.replace('\n', '\ngc.set_threshold(20000)\n')
  const programs = { usual: 'usual:main', own: 'own:main' }
  index.add({ name: 'thrifty', files: { 'usual.py': usual, 'own.py': own }, programs })
  await using house = await openPythonHouse(index)
  const { entry } = await installPython(house, 'thrifty', { bin: 'usual' })
  assert.equal(await ask(house, entry), 'import True True\nrun False True\n')
  const other = path.join(path.dirname(entry), 'own.py')
  assert.equal(await ask(house, other), 'import True True\nrun True True\n')
})

test('python -m starts a module of the installed package', async () => {
  await using house = await openPythonHouse(index)
  const it = await installPython(house, 'tiny-mcp', { module: 'tiny_mcp' })
  assert.match(await ask(house, it.entry, CALL), /Hello Ann/)
})
