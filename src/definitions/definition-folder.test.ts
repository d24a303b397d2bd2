import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, symlink } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import test from 'node:test'
import { hashFiles, readDefinitionFolder } from './definition-folder.ts'
import { openFakeDeps } from './fake-deps.ts'

test('readDefinitionFolder() reads the TOML files in order, and no others', async () => {
  await using deps = await openFakeDeps()
  for (const name of ['b.toml', 'a.toml', '.#a.toml', 'a.toml~', 'readme.md']) {
    await deps.put(join('d', name), name)
  }
  const files = await readDefinitionFolder(join(deps.base, 'd'))
  assert.deepEqual(
    files.map(({ name, content }) => [name, content.toString()]),
    [
      ['a.toml', 'a.toml'],
      ['b.toml', 'b.toml'],
    ],
  )
})

test('readDefinitionFolder() says empty where there is no folder', async () => {
  await using deps = await openFakeDeps()
  assert.deepEqual(await readDefinitionFolder(join(deps.base, 'none')), [])
  const file = await deps.put('file', '')
  assert.deepEqual(await readDefinitionFolder(file), [])
})

test('readDefinitionFolder() follows no link, waits for no pipe, and reads nothing huge', async () => {
  await using deps = await openFakeDeps()
  const folder = join(deps.base, 'd')
  await deps.put('d/big.toml', '#'.repeat(256 * 1024 + 1))
  await deps.put('d/fits.toml', '#'.repeat(256 * 1024))
  await symlink(await deps.put('elsewhere', 'x'), join(folder, 'link.toml'))
  await mkdir(join(folder, 'folder.toml'))
  execFileSync('/usr/bin/mkfifo', [join(folder, 'pipe.toml')])
  const server = createServer().listen(join(folder, 'socket.toml'))
  await once(server, 'listening')
  const files = await readDefinitionFolder(folder)
  server.close()
  const mistakes = files.map(({ name, content }) => [name, typeof content === 'string' && content])
  assert.deepEqual(mistakes, [
    ['big.toml', 'expected at most 256 KiB'],
    ['fits.toml', false],
    ['folder.toml', 'expected a plain file'],
    ['link.toml', 'expected a plain file, not a symbolic link'],
    ['pipe.toml', 'expected a plain file'],
    ['socket.toml', 'expected a plain file that Cordon may read'],
  ])
})

test('readDefinitionFolder() does not let a folder of countless files fill the memory', async () => {
  await using deps = await openFakeDeps()
  for (let count = 100; count < 360; count += 1) await deps.put(`d/x${count}.toml`, 'x')
  const files = await readDefinitionFolder(join(deps.base, 'd'))
  assert.equal(files.filter(({ content }) => typeof content !== 'string').length, 256)
  assert.equal(files.at(-1)?.content, 'expected at most 256 definitions in a folder')
})

test('hashFiles() tells contents apart that read the same when run together', () => {
  const file = (name: string, text: string) => ({ name, path: name, content: Buffer.from(text) })
  const contents = [
    [file('a', 'bc')],
    [file('ab', 'c')],
    [file('a', 'b'), file('c', '')],
    [file('a', ''), file('b', 'c')],
    [],
  ]
  const hashes = contents.map(hashFiles)
  assert.equal(new Set(hashes).size, contents.length)
  assert.match(hashes[0] ?? '', /^[0-9a-f]{64}$/)
})
