import assert from 'node:assert/strict'
import { test } from 'node:test'
import { privateBecause } from './private-places.ts'

const places = { cordonHome: '/home/ann/.cordon', userHome: '/home/ann' }
const reason = (path: string) => privateBecause(path, places)

test('privateBecause() refuses what is private, what lies in it and what holds it', () => {
  const refused = [
    '/',
    '/home',
    '/home/ann',
    '/home/ann/.ssh',
    '/home/ann/.ssh/id_ed25519',
    '/home/ben/.ssh/id_ed25519',
    '/home/ann/.config',
    '/home/ann/.cordon',
    '/home/ann/.cordon/vault/key',
    '/proc/1',
    '/sys',
    '/dev/sda',
    '/run/docker.sock',
    '/var/run/docker.sock',
    '/var',
    '/etc',
    '/etc/shadow',
  ]
  for (const path of refused) assert.ok(reason(path), path)
})

test('privateBecause() lets nobody write to installed packages, but the installer to its own folder', () => {
  const write = (path: string) => privateBecause(path, places, 'write')
  for (const path of ['', '/x@1', '/x@1/node_modules', '/x/.part-1/a', '/.part-a1', '/.partx/a']) {
    assert.match(write(`/home/ann/.cordon/packages${path}`) ?? '', /packages/, path)
  }
  assert.equal(write('/home/ann/.cordon/packages/.part-a1/tree'), undefined)
  assert.equal(write('/srv/data'), undefined)
  assert.match(write('/home/ann/.ssh') ?? '', /\.ssh/)
})

test('privateBecause() lets documents, data and installed packages be seen', () => {
  const seen = [
    '/home/ann/docs',
    '/srv/data',
    '/etc/mime.types',
    '/home/ann/.cordon/packages/x@1',
    '/home/ann/.sshx',
  ]
  for (const path of seen) assert.equal(reason(path), undefined, path)
})
