/** The program behind a file is another writer: what it writes at any moment of a move or an undo stays. */
import assert from 'node:assert/strict'
import { lstatSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { openFakeDeps } from '../fake-deps.ts'
import { CONFIG, createImports, openCursor } from './fake-imports.ts'

test('what the program writes while its file is moved or restored is kept, and nothing else has changed', async () => {
  await using deps = await openFakeDeps()
  const path = await openCursor(deps)
  const imports = createImports(deps)
  const edited = CONFIG.replace('"dark"', '"light"')
  const { seen } = await imports.plan({ client: 'cursor' })
  deps.beforeStep = (what) => {
    if (what === `prepare ${path}`) writeFileSync(path, edited)
  }
  await assert.rejects(imports.move({ client: 'cursor' }, seen), { code: 'clients.changed' })
  assert.equal(await readFile(path, 'utf8'), edited)
  assert.deepEqual([[...imports.registered], [...deps.secrets.keys()]], [[], []])

  deps.beforeStep = () => undefined
  await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
  const later = readFileSync(path, 'utf8').replace('"light"', '"blue"')
  deps.beforeStep = (what) => {
    if (what === 'audit clients.restored') writeFileSync(path, later)
  }
  await assert.rejects(imports.undo({ client: 'cursor' }, { merge: false }), {
    code: 'clients.changed',
  })
  assert.equal(await readFile(path, 'utf8'), later)
  deps.beforeStep = () => undefined
  await imports.undo({ client: 'cursor' }, { merge: true })
  const merged = await readFile(path, 'utf8')
  assert.match(merged, /"theme": "blue"/)
  assert.match(merged, /ghp_canary/)
  assert.doesNotMatch(merged, /gateway/)
})

test('a file that was not there and that the program writes during the undo is not removed', async () => {
  await using deps = await openFakeDeps()
  const imports = createImports(deps)
  const { seen, path } = await imports.plan({ client: 'cursor' })
  await imports.move({ client: 'cursor' }, seen)
  const later = readFileSync(path, 'utf8').replace(/\}\s*$/, ', "theme": "blue" }')
  deps.beforeStep = (what) => {
    if (what === 'audit clients.restored') writeFileSync(path, later)
  }
  await assert.rejects(imports.undo({ client: 'cursor' }, { merge: false }), {
    code: 'clients.changed',
  })
  assert.equal(readFileSync(path, 'utf8'), later)
})

test('after a killed move and a rewrite by the program, the next move and one undo give the rewritten file', async () => {
  for (const start of ['import', 'undo'] as const) {
    await using deps = await openFakeDeps()
    const path = await openCursor(deps)
    const imports = createImports(deps)
    const { seen } = await imports.plan({ client: 'cursor' })
    deps.beforeStep = (what) => {
      if (what === `prepare ${path}`) throw new Error('killed')
    }
    await assert.rejects(imports.move({ client: 'cursor' }, seen), /killed/)
    deps.beforeStep = () => undefined
    const rewritten = CONFIG.replace('"dark"', '"light"')
    writeFileSync(path, rewritten)
    if (start === 'import') {
      await imports.move({ client: 'cursor' }, (await imports.plan({ client: 'cursor' })).seen)
    }
    await imports.undo({ client: 'cursor' }, { merge: false })
    assert.equal(await readFile(path, 'utf8'), rewritten)
    assert.deepEqual([[...imports.registered], [...deps.secrets.keys()]], [[], []])
    assert.ok((await imports.find()).every(({ canUndo }) => !canUndo))
  }
})

test('a link to a file that does not exist is not replaced, and the other clients are still found', async () => {
  await using deps = await openFakeDeps()
  await mkdir(join(deps.homeFolder, '.cursor'), { recursive: true })
  const link = join(deps.homeFolder, '.cursor/mcp.json')
  symlinkSync(join(deps.homeFolder, 'dotfiles/mcp.json'), link)
  const imports = createImports(deps)
  await assert.rejects(imports.plan({ client: 'cursor' }), { code: 'clients.config' })
  const found = await imports.find()
  assert.match(found.find(({ id }) => id === 'cursor')?.problem ?? '', /does not exist/)
  assert.ok(found.some(({ id, problem }) => id === 'gemini' && problem === undefined))
  assert.ok(lstatSync(link).isSymbolicLink())
})
