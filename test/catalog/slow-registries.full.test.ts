/**
 * Registries that are never silent and never done: a byte now and then, or without end. Looking up a version, news, a token
 * and an install each end in time, with one sentence, and the next one in the queue is served.
 */
import assert from 'node:assert/strict'
import type { RequestListener, ServerResponse } from 'node:http'
import { after, beforeEach, test } from 'node:test'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { never } from '../../src/kernel/test-never.ts'
import { openImageRegistry } from '../fixtures/image-registry.ts'
import { openPythonIndex } from '../fixtures/python-index.ts'
import { busybox, installImage, openImageHouse } from './image-house.ts'
import { egressTo, installFrom, openPackageHouse, refuses, STAND_IN } from './package-house.ts'
import { addTinyServer, installPython, openPythonHouse } from './python-house.ts'
import { openStandInRegistry } from './stand-in-registry.ts'

const registry = await openStandInRegistry()
const index = await openPythonIndex()
const images = await openImageRegistry()
after(async () => {
  for (const one of [registry, index, images]) await one[Symbol.asyncDispose]()
})
beforeEach(() => {
  registry.answer = undefined
  Object.assign(index, { answer: undefined })
  Object.assign(images, { answer: undefined, realm: undefined })
})
registry.add({ name: 'plain', description: { bin: 'run.js' }, files: { 'run.js': '' } })
addTinyServer(index)
images.add('acme/it', '1.0', { layers: [[busybox()]], config: { Entrypoint: ['/bin/busybox'] } })

const limits = { askMs: 4000, ms: 6000 }
const LATE = /its registry took longer than 0\.\d+ minutes/
const UNREACHABLE = 'catalog.registry-unreachable'

function drip(response: ServerResponse): true {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 200)
  response.once('close', () => clearInterval(timer))
  return true
}
const dripping: RequestListener = (_request, response) => void drip(response)
const used = (kind: 'npm' | 'pypi' | 'image', name: string) =>
  ({ server: parseServerId('it'), kind, name, version: '1.0.0', tag: '1.0' }) as const

test('a drip from the npm registry ends the look for a tag, for news, and an install', async () => {
  await using house = await openPackageHouse(egressTo(registry.port), { ...STAND_IN, limits })
  registry.answer = dripping
  await refuses(house, installFrom(house, 'plain', { version: 'latest' }), UNREACHABLE, LATE)
  await assert.rejects(house.packages.news(used('npm', 'plain'), never), { message: LATE })
  await refuses(house, installFrom(house, 'plain'), UNREACHABLE, LATE)
  registry.answer = undefined
  await using after = await openPackageHouse(egressTo(registry.port), STAND_IN)
  assert.equal((await installFrom(after, 'plain')).version, '1.0.0')
})

test('a drip from the Python index ends the look for a version, for news, and an install', async () => {
  await using house = await openPythonHouse(index, { limits })
  index.answer = (_request, response) => drip(response)
  const looking = installPython(house, 'tiny-mcp', { version: 'latest' })
  await refuses(house, looking, UNREACHABLE, LATE)
  await assert.rejects(house.packages.news(used('pypi', 'tiny-mcp'), never), { message: LATE })
  await refuses(house, installPython(house, 'tiny-mcp'), UNREACHABLE, LATE)
})

test('a drip from a registry of images ends the look for a tag, and that for news', async () => {
  await using house = await openImageHouse(images, { limits })
  images.answer = (_request, response) => drip(response)
  await refuses(house, installImage(house), UNREACHABLE, LATE)
  const name = 'allowed.example/acme/it'
  await assert.rejects(house.packages.news(used('image', name), never), { message: LATE })
})

test('a token that drips ends in time, and one without end by its size', async () => {
  await using house = await openImageHouse(images, { limits })
  images.realm = 'https://allowed.example/token'
  const onToken = (answer: (response: ServerResponse) => true) => {
    images.answer = (request, response) =>
      request.url?.startsWith('/token') === true && answer(response)
  }
  onToken(drip)
  await refuses(house, installImage(house), UNREACHABLE, LATE)
  onToken((response) => {
    const fill = (): void => {
      while (response.write('x'.repeat(65_536))) continue
    }
    response.on('drain', fill).once('error', () => undefined)
    fill()
    return true
  })
  await using patient = await openImageHouse(images)
  await refuses(patient, installImage(patient), 'catalog.bad-package', /sends too much/)
})
