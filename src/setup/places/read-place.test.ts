import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import type { Service } from '../../ports/service-facts.ts'
import type { Connection } from '../connection/connection.ts'
import type { Chosen } from './places.ts'
import { givenPlaces, placeFor } from './read-place.ts'

const home = mkdtempSync(path.join(tmpdir(), 'cordon-places-'))
after(() => rmSync(home, { recursive: true }))
mkdirSync(path.join(home, 'notes'))
mkdirSync(path.join(home, 'plans'))
mkdirSync(path.join(home, 'secret'))
writeFileSync(path.join(home, 'notes', 'shop.db'), '')
writeFileSync(path.join(home, 'loose.db'), '')

const deps = {
  homeFolder: home,
  judgePath: (wanted: string) =>
    wanted === home || wanted.endsWith('/secret')
      ? 'it is private'
      : wanted.endsWith('/gone')
        ? 'there is no such file or folder'
        : undefined,
}

function answer(place: 'folders' | 'file' | 'access', text: string, chosen?: Chosen) {
  const need = { key: 'K', title: 'x', prefixes: [], required: true, place }
  const connection = {
    state: { kind: 'asking', key: 'K', method: 0 },
    service: { credentials: [need] } as unknown as Service,
    chosen,
  } as unknown as Connection
  return placeFor(deps, connection, text)
}

const chosenOf = (place: 'folders' | 'file', text: string): Chosen => {
  const reading = answer(place, text)
  assert.equal(reading?.kind, 'chosen', text)
  return reading?.kind === 'chosen' ? reading.chosen : assert.fail()
}

test('folders are taken from the home or the root, several with commas', () => {
  assert.deepEqual(chosenOf('folders', '~/notes').paths, [`${home}/notes`])
  const { paths, shown } = chosenOf('folders', ` "~/notes" , ${home}/plans/ `)
  assert.deepEqual([paths, shown], [[`${home}/notes`, `${home}/plans`], '~/notes and ~/plans'])
})

test('what is no path is conversation, and what cannot be given is refused with the reason', () => {
  for (const text of ['hello', 'list my files', 'what is this?', '', 'https://x.example/y']) {
    assert.equal(answer('folders', text), undefined, text)
  }
  for (const [text, fault] of [
    ['~', /^~: it is private$/],
    ['~/secret', /^~\/secret: it is private$/],
    ['~/gone', /^~\/gone: there is no such/],
    ['~/notes/shop.db', /it is not a folder/],
    ['notes/x', /^notes\/x: write the whole path/],
    ['~/notes, ~/secret', /private/],
  ] as const) {
    const reading = answer('folders', text)
    assert.match(reading?.kind === 'fault' ? reading.fault : '', fault, text)
  }
})

test('read and write decide what the sandbox is shown, and each says what it means', () => {
  const chosen = chosenOf('folders', '~/notes')
  assert.deepEqual(answer('access', 'read', chosen), {
    kind: 'places',
    places: {
      read: [`${home}/notes`],
      write: [],
      means: 'It can read everything below ~/notes, and change nothing.',
    },
  })
  const write = answer('access', 'Write.', chosen)
  assert.ok(write?.kind === 'places')
  assert.deepEqual(write.places.write, [`${home}/notes`])
  assert.equal(write.places.means, 'It can change and delete anything below ~/notes.')
  for (const text of ['maybe', 'read it to me', '~/notes']) {
    assert.equal(answer('access', text, chosen), undefined, text)
  }
})

test('a database comes with its folder, where SQLite keeps its journal', () => {
  const chosen = chosenOf('file', '~/notes/shop.db')
  const write = answer('access', 'write', chosen)
  assert.ok(write?.kind === 'places')
  assert.deepEqual(
    [write.places.write, write.places.file],
    [[`${home}/notes`], `${home}/notes/shop.db`],
  )
  const fresh = chosenOf('file', '~/notes/new.db')
  assert.equal(answer('access', 'write', fresh)?.kind, 'places')
  assert.equal(answer('access', 'read', fresh)?.kind, 'fault')
  const folder = answer('file', '~/notes')
  assert.match(folder?.kind === 'fault' ? folder.fault : '', /it is a folder/)
})

test('a database in a folder that is private can be read alone, and never changed', () => {
  const chosen = chosenOf('file', '~/loose.db')
  const read = answer('access', 'read', chosen)
  assert.deepEqual(read?.kind === 'places' ? read.places.read : [], [`${home}/loose.db`])
  const write = answer('access', 'write', chosen)
  assert.match(write?.kind === 'fault' ? write.fault : '', /journal .* private\. Move the file/)
})

test('places given with the command are judged in the same way', () => {
  assert.equal(givenPlaces(deps, {}, false), undefined)
  const both = givenPlaces(deps, { read: ['~/plans'], write: ['~/notes', '~/notes'] }, false)
  assert.ok(both?.kind === 'places')
  assert.deepEqual([both.places.read, both.places.write], [[`${home}/plans`], [`${home}/notes`]])
  assert.equal(givenPlaces(deps, { write: ['~'] }, false)?.kind, 'fault')
  const file = givenPlaces(deps, { read: ['~/notes/shop.db'] }, true)
  assert.ok(file?.kind === 'places')
  assert.deepEqual(
    [file.places.file, file.places.read],
    [`${home}/notes/shop.db`, [`${home}/notes`]],
  )
})
