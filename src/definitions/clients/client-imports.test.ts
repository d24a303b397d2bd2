import assert from 'node:assert/strict'
import { lstatSync, readFileSync, statSync, symlinkSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { createDefinitions } from '../create-definitions.ts'
import { openFakeDeps } from '../fake-deps.ts'
import { CLIENT_CONFIGS } from './client-configs.ts'
import { CONFIG, createImports, openCursor } from './fake-imports.ts'

test('a move keeps comments, mode and what Cordon cannot start; undo restores every byte', async () => {
  await using deps = await openFakeDeps()
  const path = await openCursor(deps)
  const imports = createImports(deps)
  const plan = await imports.plan({ client: 'cursor' })
  assert.deepEqual(
    plan.entries.map(({ name, fate }) => [name, fate]),
    [
      ['github', 'moves'],
      ['gone', 'stays'],
    ],
  )
  assert.deepEqual(plan.entries[0]?.secrets, ['github/GITHUB_TOKEN'])
  assert.doesNotMatch(JSON.stringify(plan), /canary/)
  assert.deepEqual(deps.steps, [])
  await imports.move({ client: 'cursor' }, plan.seen)
  const moved = await readFile(path, 'utf8')
  assert.match(moved, /\/\/ mine\n {2}"mcpServers": \{\n {4}"gone": .*\n {4}"cordon": \{/)
  assert.match(moved, /"theme": "dark", \/\* last \*\/\n\}\n$/)
  assert.doesNotMatch(moved, /canary/)
  assert.equal(statSync(path).mode & 0o777, 0o640)
  assert.deepEqual([...imports.registered], ['cursor'])
  assert.equal(deps.secrets.get('github/GITHUB_TOKEN')?.toString().slice(0, 10), 'ghp_canary')
  const undone = await imports.undo({ client: 'cursor' }, { merge: false })
  assert.equal(undone.file, 'restored')
  assert.equal(await readFile(path, 'utf8'), CONFIG)
  assert.equal(statSync(path).mode & 0o777, 0o640)
  assert.deepEqual([...imports.registered], [])
  assert.deepEqual([...deps.secrets.keys()], [])
})

test('after a crash before any change, the file is the old or the new one, and undo restores everything', async () => {
  for (let at = 0; ; at += 1) {
    await using deps = await openFakeDeps()
    const path = await openCursor(deps)
    const imports = createImports(deps)
    const { seen } = await imports.plan({ client: 'cursor' })
    let left = at
    deps.beforeStep = () => {
      left -= 1
      if (left < 0) throw new Error('killed')
    }
    const isDone = await imports.move({ client: 'cursor' }, seen).then(
      () => true,
      () => false,
    )
    const written = await readFile(path, 'utf8')
    assert.ok(written === CONFIG || /"gateway"/.test(written))
    deps.beforeStep = () => undefined
    const isNoted = (await imports.find()).some(({ canUndo }) => canUndo)
    if (isNoted) await imports.undo({ client: 'cursor' }, { merge: false })
    assert.equal(await readFile(path, 'utf8'), CONFIG)
    assert.deepEqual([[...imports.registered], [...deps.secrets.keys()]], [[], []])
    const { servers } = await createDefinitions(deps).load()
    assert.deepEqual(servers, [])
    if (isDone) {
      assert.ok(at > 5)
      return
    }
  }
})

test('a crash in the middle of an undo is finished by the next one', async () => {
  for (let at = 0; ; at += 1) {
    await using deps = await openFakeDeps()
    const path = await openCursor(deps)
    const imports = createImports(deps)
    await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
    let left = at
    deps.beforeStep = () => {
      left -= 1
      if (left < 0) throw new Error('killed')
    }
    const isDone = await imports.undo({ client: 'cursor' }, { merge: false }).then(
      () => true,
      () => false,
    )
    deps.beforeStep = () => undefined
    if (!isDone) await imports.undo({ client: 'cursor' }, { merge: false })
    assert.equal(await readFile(path, 'utf8'), CONFIG)
    assert.deepEqual([[...imports.registered], [...deps.secrets.keys()]], [[], []])
    if (isDone) return
  }
})

test('a move that was killed is taken back by the next one, so that one undo is enough', async () => {
  await using deps = await openFakeDeps()
  const path = await openCursor(deps)
  const imports = createImports(deps)
  const { seen } = await imports.plan({ client: 'cursor' })
  deps.beforeStep = (what) => {
    if (what === `write ${path}`) throw new Error('killed')
  }
  await assert.rejects(imports.move({ client: 'cursor' }, seen), /killed/)
  deps.beforeStep = () => undefined
  await imports.move({ client: 'cursor' }, seen)
  await imports.undo({ client: 'cursor' }, { merge: false })
  assert.equal(await readFile(path, 'utf8'), CONFIG)
  assert.deepEqual([[...imports.registered], [...deps.secrets.keys()]], [[], []])
  assert.ok((await imports.find()).every(({ canUndo }) => !canUndo))
})

test('undo refuses a file that was changed since, and --keep-changes puts the servers back into it', async () => {
  await using deps = await openFakeDeps()
  const path = await openCursor(deps)
  const imports = createImports(deps)
  await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
  const changed = readFileSync(path, 'utf8').replace('"dark"', '"light"')
  await writeFile(path, changed)
  await assert.rejects(imports.undo({ client: 'cursor' }, { merge: false }), {
    code: 'clients.changed-since',
    hint: /--keep-changes/,
  })
  assert.equal(await readFile(path, 'utf8'), changed)
  assert.deepEqual([...imports.registered], ['cursor'])
  const { file } = await imports.undo({ client: 'cursor' }, { merge: true })
  assert.equal(file, 'merged')
  const merged = await readFile(path, 'utf8')
  assert.match(merged, /"theme": "light", \/\* last \*\//)
  assert.match(merged, /ghp_canary/)
  assert.doesNotMatch(merged, /gateway/)
})

test('a file that changed after it was shown is not moved', async () => {
  await using deps = await openFakeDeps()
  const path = await openCursor(deps)
  const imports = createImports(deps)
  const { seen } = await imports.plan({ client: 'cursor' })
  await writeFile(path, CONFIG.replace('/bin/true', '/bin/false'))
  await assert.rejects(imports.move({ client: 'cursor' }, seen), { code: 'clients.changed' })
  assert.deepEqual(deps.steps, [])
})

test('the same server in two clients is one server; another of the same name gets a name of its own', async () => {
  await using deps = await openFakeDeps()
  await openCursor(deps, '{"mcpServers":{"a":{"command":"/bin/true"},"b":{"command":"/bin/true"}}}')
  await deps.put(
    join(deps.homeFolder, '.gemini/settings.json'),
    '{"mcpServers":{"a":{"command":"/bin/true"},"b":{"command":"/bin/false"}}}',
  )
  const imports = createImports(deps)
  await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
  const plan = await imports.plan({ client: 'gemini' })
  assert.deepEqual(
    plan.entries.map(({ name, fate, server }) => [name, fate, server]),
    [
      ['a', 'there', 'a'],
      ['b', 'moves', 'b-gemini'],
    ],
  )
})

test('a symbolic link stays a link: the file behind it is changed and restored', async () => {
  await using deps = await openFakeDeps()
  const real = await deps.put('dotfiles/mcp.json', CONFIG)
  await mkdir(join(deps.homeFolder, '.cursor'), { recursive: true })
  const link = join(deps.homeFolder, '.cursor/mcp.json')
  symlinkSync(real, link)
  const imports = createImports(deps)
  await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
  assert.ok(lstatSync(link).isSymbolicLink())
  assert.match(readFileSync(real, 'utf8'), /gateway/)
  await imports.undo({ client: 'cursor' }, { merge: false })
  assert.equal(readFileSync(real, 'utf8'), CONFIG)
})

test('a client without a file gets one, and undo removes it', async () => {
  await using deps = await openFakeDeps()
  const imports = createImports(deps)
  for (const config of CLIENT_CONFIGS) {
    const plan = await imports.plan({ client: config.id })
    assert.equal(plan.isNewFile, true)
    await imports.move({ client: config.id }, plan.seen)
    assert.match(readFileSync(plan.path, 'utf8'), /gateway/)
    assert.equal((await imports.plan({ client: config.id })).isDone, true)
    assert.equal((await imports.undo({ client: config.id }, { merge: false })).file, 'removed')
  }
})
