/** Texts of an index and of a wheel that are made to be slow to read: each is read once, whatever its size. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Unfit } from '../install/unfit.ts'
import { parseIndexPage } from './index-page.ts'
import { parseMetadata } from './metadata.ts'

const PAGE = 'https://index.example/simple/x/'
const MIB = 2 ** 20
const many = (part: string, mebibytes = 8): string => part.repeat((mebibytes * MIB) / part.length)

/** Reading one of them in quadratic time takes minutes to hours. */
const TEXTS = {
  'anchors that are never closed': many('<a '),
  'attributes that are never closed': many('<a href="'),
  'anchors full of quotes': many(`<a ${'x="'.repeat(2_600)}>`),
  'spaces in an anchor': `<a${many(' ')}`,
  'bases that are never closed': `<html>${many('<base ')}`,
  'nested lists': many('['),
}

for (const [what, text] of Object.entries(TEXTS)) {
  test(`parseIndexPage() reads a page once: ${what}`, () => {
    for (const type of ['text/html', 'application/json']) {
      try {
        assert.ok(parseIndexPage(text, type, PAGE).every(({ sha256 }) => sha256 === undefined))
      } catch (error) {
        assert.ok(error instanceof Unfit)
      }
    }
  })
}

test('parseIndexPage() reads attributes in either quotes, and a link with more than one line', () => {
  const link = (rest: string) => `<A\n ${rest}>x</A>`
  const hash = 'a'.repeat(64)
  const text = [
    '<!doctype html><base href="/files/">',
    link(`href="x-1.0-py3-none-any.whl#sha256=${hash}" data-requires-python='&gt;=3.9'`),
    link(`data-yanked href='x-2.0-py3-none-any.whl'`),
    '<abbr title="not one">',
  ].join('\n')
  assert.deepEqual(parseIndexPage(text, 'text/html', PAGE), [
    {
      file: 'x-1.0-py3-none-any.whl',
      url: 'https://index.example/files/x-1.0-py3-none-any.whl',
      sha256: hash,
      requiresPython: '>=3.9',
      isYanked: false,
    },
    {
      file: 'x-2.0-py3-none-any.whl',
      url: 'https://index.example/files/x-2.0-py3-none-any.whl',
      isYanked: true,
    },
  ])
})

test('parseMetadata() reads a million headers once', () => {
  const text = `Name: x\nVersion: 1.0\n${'A: b\n'.repeat(1e6)}`
  assert.equal(parseMetadata(text).name, 'x')
})
