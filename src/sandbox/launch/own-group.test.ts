/** On a tree as systemd lays it out, made of ordinary files; on a machine with systemd: docs/decisions/0185. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { divideGroup, mayMove, ownGroup } from './own-group.ts'

const SLICE = '/user.slice/user-1000.slice'
const MANAGER = `${SLICE}/user@1000.service`
const ended = { bus: '/run/user/1000/bus', lingers: false }

test('ownGroup() is the one that cgroup v2 counts memory in', () => {
  assert.equal(ownGroup('0::/a.slice/b.scope\n'), '/a.slice/b.scope')
  assert.equal(ownGroup('1:cpu:/\n0::/a.slice\n'), '/a.slice')
  assert.equal(ownGroup('4:memory:/\n0::/a.slice\n'), undefined)
  assert.equal(ownGroup('4:cpuset,memory:/\n'), undefined)
})

test('a program in a terminal of the desktop is moved to a scope of its own', () => {
  assert.ok(mayMove(`${MANAGER}/app.slice/vte-spawn-1.scope`, ended))
})

test('a program in a login is moved only to a manager that stays when its user logs out', () => {
  assert.equal(mayMove(`${SLICE}/session-2.scope`, ended), false)
  assert.ok(mayMove(`${SLICE}/session-2.scope`, { ...ended, lingers: true }))
})

test('no service loses its main process', () => {
  assert.equal(mayMove(`${MANAGER}/app.slice/cordon.service`, { ...ended, lingers: true }), false)
  assert.equal(mayMove('/system.slice/cordon.service', { ...ended, lingers: true }), false)
})

test('divideGroup() makes room for limits: its processes go below, and it passes controllers on', () => {
  const group = mkdtempSync(path.join(tmpdir(), 'cordon-group-'))
  after(() => rmSync(group, { recursive: true }))
  mkdirSync(path.join(group, 'kernel'))
  writeFileSync(path.join(group, 'cgroup.procs'), '4711\n')
  divideGroup(group)
  assert.equal(readFileSync(path.join(group, 'kernel', 'cgroup.procs'), 'utf8'), '4711')
  const passed = readFileSync(path.join(group, 'cgroup.subtree_control'), 'utf8')
  assert.equal(passed, '+memory +pids +cpu')
})
