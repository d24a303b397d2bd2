/** The group that servers' groups are made in, on trees as systemd lays them out. Ordinary files stand for the kernel's. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { findCgroupParent } from './cgroup.ts'

const mount = mkdtempSync(path.join(tmpdir(), 'cordon-cgroup-'))
after(() => rmSync(mount, { recursive: true }))

function group(name: string, shared: string): string {
  const folder = path.join(mount, name)
  mkdirSync(folder, { recursive: true })
  writeFileSync(path.join(folder, 'cgroup.subtree_control'), shared)
  writeFileSync(path.join(folder, 'cgroup.procs'), '')
  return folder
}

test('findCgroupParent() takes the slice that systemd delegates, where its own group passes no limits on', () => {
  group('user.slice', 'memory pids')
  const slice = group('user.slice/app.slice', 'cpu memory pids\n')
  group('user.slice/app.slice/terminal.scope', '\n')
  const found = findCgroupParent('0::/user.slice/app.slice/terminal.scope\n', mount)
  assert.deepEqual(found, { layer: 'cgroup2', folder: slice, sharesProcessor: true })
})

test('findCgroupParent() takes its own group first, and none where no group passes memory on', () => {
  const own = group('a.slice/own.service', 'memory')
  group('a.slice', 'memory')
  assert.deepEqual(findCgroupParent('0::/a.slice/own.service', mount), {
    layer: 'cgroup2',
    folder: own,
    sharesProcessor: false,
  })
  group('b.slice/own.scope', 'pids')
  group('b.slice', 'pids')
  assert.equal(findCgroupParent('0::/b.slice/own.scope', mount), undefined)
})
