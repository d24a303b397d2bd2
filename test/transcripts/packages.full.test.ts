/** `package list` and `package prune` of the real command line. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { test } from 'node:test'
import { finishTree } from '../../src/catalog/install/finish-tree.ts'
import { openCordon } from '../fixtures/cordon.ts'

test('packages that no server uses are shown, and removed after a yes', async () => {
  await using cordon = openCordon()
  assert.equal((await cordon.run(['package', 'list'])).stdout, 'No package is installed.\n')
  const folder = path.join(cordon.home, 'packages')
  for (const name of ['used@1.0.0', 'old@1.0.0']) {
    mkdirSync(path.join(folder, name))
    writeFileSync(path.join(folder, name, 'run.js'), 'x'.repeat(2 ** 20))
    const facts = { package: name.split('@')[0] ?? '', version: '1.0.0', integrity: 'sha512-x' }
    await finishTree(path.join(folder, name), () => ({ ...facts, packages: 1, refusedScripts: [] }))
  }
  const program = path.join(folder, 'used@1.0.0', 'run.js')
  const added = await cordon.run(['mcp', 'add', 'mine', '--', 'node', program])
  assert.equal(added.code, 0, added.stderr)
  const { stdout } = await cordon.run(['package', 'list'])
  assert.match(stdout, /^old@1\.0\.0 +old@1\.0\.0 +1\.0 MB +no server$/m)
  assert.match(stdout, /^used@1\.0\.0 +used@1\.0\.0 +1\.0 MB +mine$/m)
  assert.match(stdout, /^2 packages, 2\.0 MB\. 1\.0 MB in no use: `cordon package prune` removes/m)

  const unsure = await cordon.run(['package', 'prune'])
  assert.match(unsure.stderr, /Add `--yes` when you are sure/)
  assert.ok(existsSync(path.join(folder, 'old@1.0.0')))
  const pruned = await cordon.ask(['package', 'prune', '--yes'])
  assert.deepEqual(pruned, { removed: ['old@1.0.0'], bytes: 2 ** 20 })
  assert.ok(!existsSync(path.join(folder, 'old@1.0.0')) && existsSync(program))
  const again = await cordon.run(['package', 'prune'])
  assert.equal(again.stdout, 'Every package is in use.\n')
  const { stdout: record } = await cordon.run(['audit', 'search', 'catalog.removed'])
  assert.match(record, /old@1\.0\.0/)
})
