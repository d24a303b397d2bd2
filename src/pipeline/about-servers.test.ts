import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { LoadedDefinition } from '../kernel/server-definition.ts'
import { createAboutServers } from './about-servers.ts'

test('a definition is read once, and again after it has changed', async () => {
  let [stamp, name, loads] = ['1', 'Files', 0]
  const about = createAboutServers(
    {
      stamp: () => stamp,
      async load() {
        loads += 1
        const definition = { id: 'files', name, sandbox: { readPaths: ['/a'], writePaths: ['/b'] } }
        return { servers: [{ definition } as unknown as LoadedDefinition], problems: [] }
      },
    },
    { homeFolder: '/home/ann', own: new Map() },
  )
  const place = { homeFolder: '/home/ann', folders: ['/a', '/b'] }
  assert.deepEqual(await about('files'), { name: 'Files', place })
  await about('files')
  assert.equal(loads, 1)
  ;[stamp, name] = ['2', 'My files']
  assert.equal((await about('files')).name, 'My files')
  assert.deepEqual(await about('gone'), { name: 'gone', place: { ...place, folders: [] } })
})
