import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCgroups, sandboxChecks } from './sandbox-checks.ts'
import { runCommand } from './launch/run-command.ts'

const { signal } = new AbortController()

test('runCommand() tells a program that failed from one that is not there', async () => {
  assert.equal((await runCommand('true', [], signal)).exitCode, 0)
  assert.equal((await runCommand('false', [], signal)).exitCode, 1)
  assert.equal((await runCommand('no-such-program', [], signal)).exitCode, undefined)
})

test('runCommand() passes words as they are: no shell looks at them', async () => {
  const words = ['$HOME', '; echo gone', '`id`']
  assert.equal(
    (await runCommand('printf', ['%s|', ...words], signal)).stdout,
    `${words.join('|')}|`,
  )
})

test('runCommand() hands none of our environment on', async () => {
  const { stdout } = await runCommand('env', [], signal)
  assert.deepEqual(
    stdout
      .trim()
      .split('\n')
      .map((line) => line.split('=')[0]),
    ['PATH'],
  )
})

test('sandboxChecks() finds bubblewrap, makes a sandbox, and has a remedy for whatever is missing', async () => {
  const checks = await sandboxChecks(signal)
  assert.deepEqual(
    checks.map(({ name }) => name),
    ['bubblewrap', 'perl', 'user namespaces', 'cgroups', 'landlock'],
  )
  for (const { verdict, remedy } of checks) assert.ok(verdict === 'ok' || remedy)
  assert.equal(checks[0]?.verdict, 'ok')
  assert.match(checks[0]?.finding ?? '', /\d+\.\d+/)
})

test('checkCgroups() says whether systemd delegates the cgroup, and whether it shares the processor', () => {
  const slice = '/sys/fs/cgroup/user.slice/user-1000.slice/user@1000.service/app.slice'
  const check = (folder: string, sharesProcessor = true) =>
    checkCgroups({ layer: 'cgroup2', folder, sharesProcessor })
  assert.match(check(slice).finding, /^cgroup v2, delegated by systemd: .* shares the processor/)
  assert.match(check('/sys/fs/cgroup/system.slice/cordon.service').finding, /^cgroup v2: /)
  const { verdict, finding, remedy } = check(slice, false)
  assert.equal(verdict, 'warn')
  assert.match(finding, /nothing shares the processor$/)
  assert.match(remedy ?? '', /Delegate=yes/)
})
