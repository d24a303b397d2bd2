import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseServerId } from '../../kernel/server-id.ts'
import { changesIn, markTools, quarantineAll, readManifest } from './manifest.ts'
import { createManifestStore } from './manifest-store.ts'
import { hashOf } from './pin-hash.ts'
import type { RawTool } from '../session/tool-list.ts'

const it = parseServerId('it')
const tool = (name: string, description: string) => ({ name, description, inputSchema: {} })

function open() {
  const disk = new Map<string, Buffer>()
  const complaints: string[] = []
  const files = {
    read: async (path: string) => disk.get(path),
    write: async (path: string, content: string | Uint8Array) => {
      disk.set(path, Buffer.from(content))
    },
  }
  const complain = (message: string): void => void complaints.push(message)
  const log = { info: complain, warn: complain, error: complain }
  return { disk, complaints, store: createManifestStore({ files, pinsFolder: '/pins', log }) }
}

test('what is pinned, what was replaced and what is new comes back as it was written', async () => {
  const { store, complaints } = open()
  const first = readManifest([tool('a', 'old'), tool('b', 'old')], undefined)
  const manifest = readManifest([tool('a', 'new'), tool('__proto__', 'new')], first)
  await store.write(it, { manifest, launchHash: 'h', seenAt: 1 })
  const back = await store.read(it)
  assert.ok(back)
  assert.deepEqual(changesIn(back.manifest), changesIn(manifest))
  assert.deepEqual(changesIn(manifest)[0]?.before, tool('a', 'old'))
  assert.equal(back.manifest.hash, manifest.hash)
  assert.deepEqual(complaints, [])
})

test('only a server that was never seen is at its first sight', async () => {
  const { store, disk, complaints } = open()
  assert.equal(await store.read(it), undefined)
  disk.set('/pins/it.json', Buffer.from('{"version":2,'))
  const damaged = await store.read(it)
  const now = readManifest([tool('a', 'old')], damaged?.manifest)
  assert.equal(now.tools.get('a')?.quarantined, true)
  assert.equal(complaints.length, 1)
})

test('marks and what the owner holds come back as they were written; a mark of no known kind is damage', async () => {
  const { store, disk, complaints } = open()
  const first = readManifest([tool('a', 'old'), tool('__proto__', 'old')], undefined)
  const manifest = markTools(first, new Map([['__proto__', 'read']]), 'p')
  await store.write(it, { manifest, launchHash: 'h', seenAt: 1 })
  const back = await store.read(it)
  assert.equal(back?.manifest.tools.get('__proto__')?.mark?.semantics, 'read')
  await store.write(it, { manifest: quarantineAll(manifest), launchHash: 'h', seenAt: 1 })
  assert.equal((await store.read(it))?.manifest.tools.get('a')?.isHeld, true)
  await store.write(it, { manifest, launchHash: 'h', seenAt: 1 })
  const forged = String(disk.get('/pins/it.json')).replace(
    '"semantics":"read"',
    '"semantics":"harmless"',
  )
  disk.set('/pins/it.json', Buffer.from(forged))
  assert.equal((await store.read(it))?.manifest.tools.size, 0)
  assert.equal(complaints.length, 1)
})

/** As version 2 wrote it: hashes of whole definitions. */
function olderFile(tools: readonly RawTool[], pinned: readonly RawTool[] = tools): Buffer {
  const pins = pinned.map((one) => [one.name, hashOf(one)])
  const file = { version: 2, launchHash: 'h', seenAt: 1, pins, replaced: pinned, tools }
  return Buffer.from(JSON.stringify(file))
}

test('pins of an older home hold: same hash, same set, and they are kept when written anew', async () => {
  const { store, disk } = open()
  const tools = [{ ...tool('a', 'old'), title: 'A', _meta: { at: 1 } }, tool('b', 'old')]
  disk.set('/pins/it.json', olderFile(tools))
  const stored = await store.read(it)
  assert.ok(stored)
  const later = [{ ...tool('a', 'old'), title: 'B', _meta: { at: 2 } }, tool('b', 'old')]
  const now = readManifest(later, stored.manifest)
  assert.deepEqual(changesIn(now), [])
  assert.equal(now.tools.get('a')?.hash, hashOf(tools[0] ?? {}))
  await store.write(it, { ...stored, manifest: now })
  const again = await store.read(it)
  assert.deepEqual(changesIn(readManifest(later, again?.manifest)), [])
  const worse = readManifest([{ ...later[0], name: 'a', description: 'new' }], again?.manifest)
  assert.equal(worse.tools.get('a')?.quarantined, true)
})

test('an older pin counts only for the definition that has its hash', async () => {
  const { store, disk } = open()
  const accepted = { ...tool('a', 'old'), title: 'A' }
  const other = { ...tool('a', 'new'), title: 'A' }
  disk.set('/pins/it.json', olderFile([other], [accepted]))
  const stored = await store.read(it)
  assert.equal(readManifest([other], stored?.manifest).tools.get('a')?.quarantined, true)
  assert.equal(readManifest([accepted], stored?.manifest).tools.get('a')?.quarantined, false)
})
