/** Files of a run in a folder that a server may write: links that it plants, and folders that it swaps for links. */
import assert from 'node:assert/strict'
import { mkdir, mkdtemp, readdir, realpath, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { NO_MARKS } from '../../src/flows/built-in/file-labels.ts'
import { createFileLedger, memoryLabels } from '../../src/flows/built-in/file-ledger.ts'
import { fileTools } from '../../src/flows/built-in/file-tools.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import type { ToolResult } from '../../src/kernel/tool-call.ts'
import { OWN_WORDS } from '../../src/labels/label.ts'
import type { Json } from '../../src/text/json.ts'

const top = await realpath(await mkdtemp(join(tmpdir(), 'cordon-swapped-')))
const folder = join(top, 'work')
await mkdir(folder)
after(() => rm(top, { recursive: true }))
const tools = fileTools(
  {
    home: join(top, 'cordon'),
    userHome: join(top, 'user'),
    pinPath,
    writableFolders: () => [folder],
  },
  { ledger: createFileLedger(memoryLabels()), marked: async () => NO_MARKS },
)

async function call(name: string, args: Record<string, Json>): Promise<ToolResult> {
  const tool = tools.get(name)
  assert.ok(tool)
  return await tool.run(args, new AbortController().signal, OWN_WORDS)
}

test('a run in a folder behind a link that a server may have planted reads and writes nothing', async () => {
  const elsewhere = join(top, 'elsewhere')
  await mkdir(elsewhere)
  await writeFile(join(elsewhere, 'notes.txt'), 'the owner’s')
  await symlink(elsewhere, join(folder, 'planted'))
  const planted = { folder: join(folder, 'planted'), path: 'notes.txt' }
  for (const result of [
    await call('read-file', planted),
    await call('write-file', { ...planted, content: 'x' }),
  ]) {
    assert.equal(result.kind, 'failed')
    assert.match(JSON.stringify(result), /behind a link that a server may write/)
  }
})

test('a folder that is swapped for a link while a file is written never leads outside', async () => {
  const swapped = join(folder, 'swap')
  const aside = join(folder, 'aside')
  const trap = join(top, 'trap')
  await mkdir(swapped)
  await mkdir(trap)
  await symlink(trap, join(folder, 'bait'))
  const running = new AbortController()
  const attacker = (async () => {
    while (!running.signal.aborted) {
      await rename(swapped, aside)
      await rename(join(folder, 'bait'), swapped)
      await rename(swapped, join(folder, 'bait'))
      await rename(aside, swapped)
    }
  })()
  let written = 0
  for (let round = 0; round < 300; round += 1) {
    const result = await call('write-file', { folder, path: `swap/${round}.txt`, content: 'x' })
    if (result.kind === 'ok') written += 1
  }
  running.abort()
  await attacker
  assert.deepEqual(await readdir(trap), [])
  assert.ok(written > 0)
})
