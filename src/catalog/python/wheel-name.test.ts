import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseIndexPage } from './index-page.ts'
import { parseWheelName, rankOf, supportedTags } from './wheel-name.ts'

const TAGS = supportedTags({ version: [3, 11], machine: 'x86_64', glibc: [2, 36] })

test('rankOf() knows the wheels that this machine can use', () => {
  const usable = [
    'a-1-py3-none-any.whl',
    'a-1-py2.py3-none-any.whl',
    'a-1-cp311-cp311-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
    'a-1-cp38-abi3-manylinux1_x86_64.whl',
    'a-1-1build-cp311-cp311-linux_x86_64.whl',
  ]
  const others = [
    'a-1-cp312-cp312-manylinux_2_17_x86_64.whl',
    'a-1-cp311-cp311-manylinux_2_99_x86_64.whl',
    'a-1-cp311-cp311-win_amd64.whl',
    'a-1-cp311-cp311-manylinux_2_17_aarch64.whl',
    'a-1-cp312-abi3-linux_x86_64.whl',
  ]
  const rank = (file: string) => rankOf(parseWheelName(file) ?? assert.fail(file), TAGS)
  for (const file of usable) assert.notEqual(rank(file), undefined, file)
  for (const file of others) assert.equal(rank(file), undefined, file)
  assert.ok((rank(usable[2] ?? '') ?? 0) < (rank(usable[0] ?? '') ?? 0))
})

test('parseWheelName() refuses names that are none', () => {
  for (const file of [
    'a-1.whl',
    '../a-1-py3-none-any.whl',
    'a-x-py3-none-any.whl',
    'a-1.tar.gz',
    '',
  ]) {
    assert.equal(parseWheelName(file), undefined, file)
  }
})

test('parseIndexPage() reads both formats alike', () => {
  const sha256 = 'a'.repeat(64)
  const html = `<!DOCTYPE html><a href="../../f/a-1-py3-none-any.whl#sha256=${sha256}" data-requires-python="&gt;=3.8" data-yanked="">x</a>`
  const json = JSON.stringify({
    meta: { 'api-version': '1.0' },
    files: [
      {
        filename: 'a-1-py3-none-any.whl',
        url: '../../f/a-1-py3-none-any.whl',
        hashes: { sha256 },
        'requires-python': '>=3.8',
        yanked: '',
      },
    ],
  })
  const page = 'https://index.example/simple/a/'
  const read = parseIndexPage(html, 'text/html; charset=utf-8', page)
  assert.deepEqual(read, parseIndexPage(json, 'application/vnd.pypi.simple.v1+json', page))
  assert.deepEqual(read, [
    {
      file: 'a-1-py3-none-any.whl',
      url: 'https://index.example/f/a-1-py3-none-any.whl',
      sha256,
      requiresPython: '>=3.8',
      isYanked: true,
    },
  ])
  for (const type of ['text/plain', 'application/json', 'text/html']) {
    assert.throws(() => parseIndexPage('oops', type, page), /list of files/, type)
  }
})
