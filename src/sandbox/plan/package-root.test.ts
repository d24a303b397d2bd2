import assert from 'node:assert/strict'
import { test } from 'node:test'
import { packageRoot } from './package-root.ts'

function rootOf(file: string, present: readonly string[], hidden: readonly string[] = []): string {
  return packageRoot(file, {
    isMark: (path) => present.includes(path),
    isPrivate: (path) => hidden.includes(path),
    writable: ['/data/own'],
  })
}

test('packageRoot() of an installed package is the outermost node_modules, where its dependencies are', () => {
  const file = '/srv/app/node_modules/@scope/tool/node_modules/dep/index.js'
  assert.equal(
    rootOf(file, ['/srv/app/node_modules/@scope/tool/package.json']),
    '/srv/app/node_modules',
  )
})

test('packageRoot() of a script in a project is the nearest folder that is a package', () => {
  const present = ['/srv/package.json', '/srv/app/package.json']
  assert.equal(rootOf('/srv/app/dist/index.js', present), '/srv/app')
  assert.equal(rootOf('/srv/app/dist/index.js', ['/srv/app/node_modules']), '/srv/app')
})

test('packageRoot() of a file that belongs to no package is the file alone', () => {
  assert.equal(rootOf('/opt/tool', []), '/opt/tool')
  assert.equal(rootOf('/opt/tool', ['/package.json']), '/opt/tool')
})

test('packageRoot() never gives a whole home away because a package.json lies in it', () => {
  const present = ['/home/ann/package.json']
  assert.equal(rootOf('/home/ann/bin/tool.js', present, ['/home/ann']), '/home/ann/bin/tool.js')
})

test('packageRoot() of a program that its server may write lies in that folder, whatever marks the one above', () => {
  const above = ['/data/package.json']
  assert.equal(rootOf('/data/own/index.js', above), '/data/own/index.js')
  assert.equal(rootOf('/data/own/index.js', [...above, '/data/own/package.json']), '/data/own')
})
