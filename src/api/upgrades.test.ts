import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type UpgradeDeps, upgradeRoutes } from './upgrades.ts'

test('only a terminal may say that install scripts of a newer version run', () => {
  const take = upgradeRoutes({} as UpgradeDeps)['upgrades.take']
  const wish = { server: 'notion', version: '2.0.0', manifest: 'sha512-x', tools: {} }
  assert.equal(take.isForTerminal?.({ ...wish, allowScripts: true }), true)
  assert.equal(take.isForTerminal?.(wish), false)
})
