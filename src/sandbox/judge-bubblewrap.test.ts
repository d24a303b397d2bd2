import assert from 'node:assert/strict'
import { test } from 'node:test'
import { judgeBubblewrap } from './judge-bubblewrap.ts'
import { bubblewrapArguments } from './plan/profile.ts'
import { systemMounts } from './plan/system-mounts.ts'

test('judgeBubblewrap() takes every version from 0.7.0 on', () => {
  for (const version of ['0.7.0', '0.8.0', '0.9.0', '0.11.1', '0.12.0', '1.0.0']) {
    const { verdict, finding } = judgeBubblewrap(`bubblewrap ${version}\n`)
    assert.deepEqual([verdict, finding], ['ok', `version ${version}`])
  }
})

test('judgeBubblewrap() refuses a version without `--size`, and says which one is needed', () => {
  for (const version of ['0.3.2', '0.4.1', '0.6.3']) {
    const { verdict, finding, remedy } = judgeBubblewrap(`bubblewrap ${version}\n`)
    assert.equal(verdict, 'fail')
    assert.match(finding, new RegExp(`^version ${RegExp.escape(version)} is too old`))
    assert.equal(remedy, 'Install bubblewrap 0.7.0 or later')
  }
})

test('judgeBubblewrap() takes a program that prints no version, or none at all, for missing', () => {
  for (const printed of ['bubblewrap', '', undefined]) {
    const { verdict, remedy } = judgeBubblewrap(printed)
    assert.deepEqual([verdict, remedy], ['fail', 'sudo apt-get install bubblewrap'])
  }
})

/** Those of bubblewrap 0.7.0 that are used. A newer one would need another command line for older versions. */
const OPTIONS = [
  [
    'bind',
    'cap-drop',
    'chdir',
    'dev-bind',
    'die-with-parent',
    'file',
    'gid',
    'hostname',
    'info-fd',
  ],
  [
    'new-session',
    'perms',
    'proc',
    'remount-ro',
    'ro-bind',
    'ro-bind-data',
    'ro-bind-try',
    'seccomp',
    'size',
  ],
  ['symlink', 'tmpfs', 'uid', 'unshare-cgroup-try', 'unshare-ipc', 'unshare-net', 'unshare-pid'],
  ['unshare-user', 'unshare-uts'],
].flat()

test('bubblewrapArguments() uses no option that bubblewrap 0.7.0 does not have', () => {
  const mounts = [
    { source: '/a', target: '/a', writable: true },
    { source: '/b', target: '/b', writable: false },
  ]
  const image = { user: { uid: 1, gid: 1 }, workingFolder: '/', volumes: ['/data'] }
  const used = [{}, { image }].flatMap((kind) =>
    bubblewrapArguments({
      settings: { readOnlyFs: false, allowTmp: true, ...kind } as never,
      system: ['--symlink', 'usr/bin', '/bin', ...systemMounts()],
      mounts,
      beside: [{ root: '/b', folder: '/b/c', names: ['d'] }],
      files: new Map([['/etc/hosts', 8]]),
      seccompDescriptor: 7,
      infoDescriptor: 5,
    }),
  )
  const options = used.filter((word) => word.startsWith('--')).map((word) => word.slice(2))
  assert.deepEqual([...new Set(options)].toSorted(), OPTIONS)
})
