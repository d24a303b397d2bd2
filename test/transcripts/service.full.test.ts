/** `cordon service`, with a stand-in for the systemd of a user that writes down what it is asked for. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'

const cordon = openCordon()
after(() => cordon[Symbol.asyncDispose]())
const userHome = path.dirname(cordon.home)
const programs = path.join(userHome, 'programs')
const log = path.join(userHome, 'asked')
const unit = path.join(userHome, '.config', 'systemd', 'user', 'cordon.service')
mkdirSync(programs)

/** `is-enabled` and `is-active` are as after the last command; lingering is a file. */
function standIn(name: string, body: string): void {
  const file = path.join(programs, name)
  writeFileSync(file, `#!/bin/sh\necho "${name} $*" >> ${log}\ncd ${userHome}\n${body}\n`)
  chmodSync(file, 0o755)
}
standIn(
  'systemctl',
  'case "$2" in enable) touch enabled;; start|restart) touch active;; disable) rm -f enabled active;; is-enabled) test -e enabled;; is-active) test -e active;; *) true;; esac',
)
standIn(
  'loginctl',
  'case "$1" in enable-linger) touch linger;; disable-linger) rm -f linger;; *) test -e linger && echo Linger=yes || echo Linger=no;; esac',
)

const environment = { PATH: `${programs}:${process.env['PATH']}` }
const run = (...args: string[]) => cordon.run(['service', ...args], { environment })
const asked = (): readonly string[] => {
  const lines = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : []
  rmSync(log, { force: true })
  return lines.filter((line) => !/is-active|is-enabled|show-/.test(line))
}
const remains = (name: string) => existsSync(path.join(userHome, name))

test('install writes, enables and starts the unit, says how the vault opens, and can be repeated', async () => {
  const first = await run('install')
  assert.equal(first.code, 0, first.stderr)
  assert.match(
    first.stdout,
    /cordon\.service: running, starts with the machine\.\nThere is no vault yet/,
  )
  const { username } = (await import('node:os')).userInfo()
  assert.deepEqual(asked(), [
    `loginctl enable-linger ${username}`,
    'systemctl --user daemon-reload',
    'systemctl --user enable cordon.service',
    'systemctl --user start cordon.service',
  ])
  const text = readFileSync(unit, 'utf8')
  assert.match(text, /^ExecStart=".*node" .*"up" "--no-chat"$/m)
  assert.ok(text.includes(`Environment="CORDON_HOME=${cordon.home}"`))
  assert.equal((await run('install', '--linger', '--json')).code, 0)
  assert.equal(readFileSync(unit, 'utf8'), text)
  assert.ok(!asked().some((line) => line.startsWith('loginctl enable')))
})

test('a choice about the vault that is not so is refused, and nothing is changed', async () => {
  await cordon.ask(['vault', 'init', '--key', 'keyfile', '--no-daemon'])
  const before = readFileSync(unit, 'utf8')
  asked()
  const wrong = await run('install', '--vault', 'ask')
  assert.equal(wrong.code, 2)
  assert.match(wrong.stderr, /comes from a keyfile\n.*cordon vault rotate --passphrase/)
  assert.deepEqual(asked(), [])
  assert.equal(readFileSync(unit, 'utf8'), before)
  const right = await run('install', '--vault', 'keyfile', '--linger')
  assert.match(right.stdout, /the vault opens by itself, with its key file/)
  assert.match((await run('status')).stdout, /running, starts with the machine/)
})

test('remove undoes what install did, and nothing else', async () => {
  const other = path.join(path.dirname(unit), 'other.service')
  writeFileSync(other, 'mine')
  assert.equal((await run('remove')).code, 0)
  assert.deepEqual([existsSync(unit), existsSync(other), remains('linger')], [false, true, false])
  assert.match((await run('remove')).stdout, /^There was none\.$/m)
  assert.match((await run('status')).stdout, /not installed: run `cordon service install`/)
  // Lingering that was there before the install stays.
  writeFileSync(path.join(userHome, 'linger'), '')
  assert.equal((await run('install')).code, 0)
  assert.equal((await run('remove')).code, 0)
  assert.equal(remains('linger'), true)
})

test('without a systemd of the user the error says what to do, and nothing is written', async () => {
  standIn('systemctl', 'echo "Failed to connect to bus: No medium found" >&2; exit 1')
  const { code, stderr } = await run('install')
  assert.equal(code, 5)
  assert.match(stderr, /Cannot manage the service: the systemd of your user does not run/)
  assert.match(stderr, /hint: .*`crontab -e`: @reboot .*CORDON_HOME=.* up --no-chat$/m)
  assert.equal(existsSync(unit), false)
})
