/** The vault, seen from a terminal. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { SecretInfo, VaultStatus } from '../../src/kernel/vault-status.ts'
import { openCordon } from '../fixtures/cordon.ts'

const PASSPHRASE = 'correct horse battery'

test('a secret is piped in, listed by name, replaced and forgotten', async () => {
  await using cordon = openCordon()
  await cordon.ask(['vault', 'init', '--key', 'passphrase'], { stdin: `${PASSPHRASE}\n` })
  const set = (value: string) => cordon.ask(['vault', 'set', 'notion_token'], { stdin: value })
  assert.deepEqual(await set('ntn_first'), { name: 'notion_token', replaced: false })
  assert.deepEqual(await set('ntn_second'), { name: 'notion_token', replaced: true })
  const { secrets } = await cordon.ask<{ secrets: SecretInfo[] }>(['vault', 'list'])
  assert.deepEqual(
    secrets.map(({ name }) => name),
    ['notion_token'],
  )
  const unsure = await cordon.run(['vault', 'rm', 'notion_token'])
  assert.equal(unsure.code, 2)
  assert.match(unsure.stderr, /hint: Add `--yes` when you are sure/)
  await cordon.ask(['vault', 'rm', 'notion_token', '--yes'])
  assert.deepEqual(await cordon.ask(['vault', 'list']), { secrets: [] })
})

test('VAULT-7: a value on the command line is refused, and not repeated', async () => {
  await using cordon = openCordon()
  await cordon.ask(['vault', 'init', '--key', 'keyfile'])
  const { code, stdout, stderr } = await cordon.run([
    'vault',
    'set',
    'x',
    'ghp_on_the_command_line',
  ])
  assert.equal(code, 2)
  assert.doesNotMatch(stdout + stderr, /ghp_/)
  assert.deepEqual(await cordon.ask(['vault', 'list']), { secrets: [] })
})

test('lock and unlock: a wrong passphrase is refused, the right one opens', async () => {
  await using cordon = openCordon()
  await cordon.ask(['vault', 'init', '--key', 'passphrase'], { stdin: PASSPHRASE })
  assert.equal((await cordon.ask<VaultStatus>(['vault', 'lock'])).state, 'locked')
  const closed = await cordon.run(['vault', 'set', 'x'], { stdin: 'value' })
  assert.equal(closed.code, 4)
  assert.match(closed.stderr, /hint: Run `cordon vault unlock`, then try again/)
  const wrong = await cordon.run(['vault', 'unlock'], { stdin: 'wrong passphrase' })
  assert.equal(wrong.code, 4)
  const status = await cordon.ask<VaultStatus>(['vault', 'unlock'], { stdin: PASSPHRASE })
  assert.equal(status.state, 'unlocked')
})

test('a key file is set up only with a loud warning', async () => {
  await using cordon = openCordon()
  const { stdout } = await cordon.run(['vault', 'init', '--key', 'keyfile'])
  assert.match(stdout, /warning: /)
  assert.match((await cordon.run(['status'])).stdout, /warning: /)
})
