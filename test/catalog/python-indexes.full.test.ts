/** Hostile answers of an index, and settings that would lead to another one: each is refused in one sentence. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PIP_SETTINGS, sha256Of } from '../fixtures/python-index.ts'
import { zipOf } from '../fixtures/wheel.ts'
import { countRefusals } from './count-refusals.ts'
import { add, egress, house, index, refused } from './hostile-python.ts'
import type { PackageHouse } from './package-house.ts'
import { installPython, openPythonHouse } from './python-house.ts'

const zipped = zipOf([{ name: 'a', content: 'b' }])
const wheel = (name: string) => ({ file: `${name}-1.0-py3-none-any.whl`, sha256: sha256Of(zipped) })

const PAGES: readonly (readonly [string, () => string, RegExp])[] = [
  [
    'a hash that differs',
    () => add({}, { sha256: 'a'.repeat(64) }),
    /not the file that the Python index announced/,
  ],
  ['no hash', () => add({}, { sha256: undefined }), /comes without a SHA-256/],
  [
    'another host',
    () => add({}, { url: 'https://evil.example/' }),
    /at "https:\/\/evil.example" and not at the Python index/,
  ],
  [
    'plain http',
    () => add({}, { url: 'http://allowed.example/files/' }),
    /not at the Python index/,
  ],
  ['a file of this machine', () => add({}, { url: 'file:///etc/' }), /not at the Python index/],
  [
    'an address of this machine',
    () => add({}, { url: 'https://127.0.0.1/' }),
    /not at the Python index/,
  ],
  [
    'another port',
    () => add({}, { url: 'https://allowed.example:8443/' }),
    /not at the Python index/,
  ],
  ['metadata that differ', () => add({}, { metadata: 'b'.repeat(64) }), /not what was announced/],
  [
    'only source',
    () => {
      index.addFile('sdist', { file: 'sdist-1.0.tar.gz', sha256: 'a'.repeat(64) }, zipped)
      return 'sdist'
    },
    /comes as source only/,
  ],
  [
    'another platform',
    () => add({ tag: 'cp311-cp311-win_amd64' }),
    /no wheel for this kind of machine/,
  ],
  ['another Python', () => add({ tag: 'cp27-cp27mu-manylinux1_x86_64' }), /no wheel for this kind/],
  [
    'a Python that is not there',
    () => add({}, { requiresPython: '>=9.9' }),
    /needs another Python/,
  ],
  [
    'a condition on Python that is nonsense',
    () => add({}, { requiresPython: 'any' }),
    /needs another Python/,
  ],
  [
    'a version that is nonsense',
    () => {
      index.addFile(
        'nonsense',
        { ...wheel('nonsense'), file: 'nonsense-latest-py3-none-any.whl' },
        zipped,
      )
      return 'nonsense'
    },
    /source only/,
  ],
  [
    'the file of another package',
    () => {
      index.addFile('mine', wheel('other'), zipped)
      return 'mine'
    },
    /source only/,
  ],
  [
    'a file name with a path',
    () => {
      index.addFile(
        'paths',
        { ...wheel('paths'), file: '../../paths-1.0-py3-none-any.whl' },
        zipped,
      )
      return 'paths'
    },
    /source only|gone from/,
  ],
  [
    'a zip that is no wheel',
    () => {
      index.addFile('plain', wheel('plain'), zipped)
      return 'plain'
    },
    /of another package/,
  ],
  [
    'no files at all',
    () => {
      index.addFile('none', { file: 'x' })
      return 'none'
    },
    /source only/,
  ],
  ['a name that nobody has', () => 'nobody', /knows no "nobody"/],
]

for (const format of ['json', 'html'] as const) {
  for (const [what, prepare, why] of PAGES) {
    test(`an index is not believed, in ${format}: ${what}`, async () => {
      index.format = format
      await refused(prepare(), why)
    })
  }
}

const html = '<!DOCTYPE html><p>Sign in to the network</p>'
type Answer = NonNullable<typeof index.answer>
const onFile =
  (answer: Answer): Answer =>
  (request, response) =>
    (request.url ?? '').endsWith('.whl') && answer(request, response)

const ANSWERS: readonly (readonly [string, Answer, RegExp])[] = [
  [
    'a page of text',
    (_, response) => {
      response.setHeader('content-type', 'text/plain')
      response.end('x')
      return true
    },
    /list of files/,
  ],
  [
    'a page of broken JSON',
    (_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"files":')
      return true
    },
    /list of files/,
  ],
  [
    'a page of another API',
    (_, response) => {
      response.setHeader('content-type', 'application/json')
      response.end('{"meta":{"api-version":"2.0"},"files":[]}')
      return true
    },
    /list of files/,
  ],
  [
    'HTML instead of a file',
    onFile((_, response) => {
      response.end(html)
      return true
    }),
    /not the file that/,
  ],
  [
    'a file that vanishes',
    onFile((_, response) => {
      response.writeHead(404).end()
      return true
    }),
    /gone from the Python index/,
  ],
  [
    'half a file',
    onFile((_, response) => {
      response.writeHead(200, { 'content-length': 9999 })
      response.write('PK', () => response.destroy())
      return true
    }),
    /broke off/,
  ],
  ['silence', () => true, /fell silent/],
  [
    'silence in the middle',
    onFile((_, response) => {
      response.write('PK')
      return true
    }),
    /fell silent/,
  ],
  [
    'a redirect to another host',
    (_, response) => {
      response.writeHead(302, { location: 'https://evil.example/simple/' }).end()
      return true
    },
    /at "https:\/\/evil.example"/,
  ],
  [
    'a redirect in a circle',
    (request, response) => {
      response.writeHead(302, { location: request.url ?? '' }).end()
      return true
    },
    /redirects in a circle/,
  ],
  [
    'a login',
    (_, response) => {
      response.writeHead(401).end()
      return true
    },
    /does not let you in/,
  ],
  [
    'an error of its own',
    (_, response) => {
      response.writeHead(503).end()
      return true
    },
    /out of order \(503\)/,
  ],
]

const count = countRefusals('Python indexes', ANSWERS.length)
for (const [what, answer, why] of ANSWERS) {
  test(`an index is not believed: ${what}`, async () => {
    const name = add({}, { metadata: undefined as unknown as string })
    index.answer = answer
    try {
      await refused(name, why)
      count()
    } finally {
      index.answer = undefined
    }
  })
}

test('settings that would ask a second index, or none, are refused', async () => {
  const name = add({})
  for (const [settings, why] of [
    [{ PIP_EXTRA_INDEX_URL: 'https://evil.example/simple' }, /second index/],
    [{ UV_INDEX: 'https://evil.example/simple' }, /second index/],
    [{ PIP_NO_INDEX: '1' }, /allow no index/],
    [{ PIP_INDEX_URL: 'http://allowed.example/simple' }, /does not use https/],
    [{ PIP_INDEX_URL: 'https://127.0.0.1/simple' }, /no full host name/],
    [{ PIP_INDEX_URL: 'nonsense' }, /not an address/],
  ] as const) {
    const environment = { ...PIP_SETTINGS, ...settings }
    await using other = await openPythonHouse(index, { egress, environment })
    await assert.rejects(installPython(other, name), {
      message: why,
      code: 'catalog.registry-setting',
    })
    assert.deepEqual(other.list(), [])
  }
})

test('a machine without python3 says what to install', async () => {
  const launch: PackageHouse['sandbox']['launch'] = (spec, signal) =>
    house.sandbox.launch(
      { ...spec, command: spec.command === 'python3' ? 'no-python' : spec.command },
      signal,
    )
  await using other = await openPythonHouse(index, { egress, sandbox: { launch } })
  await assert.rejects(installPython(other, add({})), {
    code: 'catalog.no-python',
    hint: /apt install python3/,
  })
})
