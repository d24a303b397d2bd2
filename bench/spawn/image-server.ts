/** The everything server with Node and its libraries in the root file system of an image, laid out as an install leaves it. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { ImageRoot } from '../../src/kernel/image-root.ts'
import type { LayerEntry } from '../../test/fixtures/image-layer.ts'
import { everythingImage } from '../../test/fixtures/everything-image.ts'

/** The root, and the command line inside. */
export function unpackImageServer(home: string): {
  readonly image: ImageRoot
  readonly words: readonly [string, ...string[]]
} {
  const root = path.join(home, 'packages', 'image@sha256-0', 'rootfs')
  for (const name of ['etc', 'home/mcp', 'opt/cordon']) {
    mkdirSync(path.join(root, name), { recursive: true })
  }
  for (const name of ['group', 'hosts', 'resolv.conf'])
    writeFileSync(path.join(root, 'etc', name), '')
  for (const entry of everythingImage().layers.flat()) put(root, entry)
  const script = 'node_modules/@modelcontextprotocol/server-everything/dist/index.js'
  return {
    words: ['node', script, 'stdio'],
    image: {
      root,
      workingFolder: '/app',
      user: { uid: 1000, gid: 1000 },
      environment: { PATH: '/usr/local/bin:/bin', NODE_ENV: 'production' },
      volumes: [],
      shownAt: {},
    },
  }
}

function put(root: string, entry: LayerEntry): void {
  const { name, type = '0', content = '', mode = 0o644, target = '' } = entry
  const full = path.join(root, name)
  mkdirSync(type === '5' ? full : path.dirname(full), { recursive: true })
  if (type === '2') symlinkSync(target, full)
  if (type === '0') writeFileSync(full, content, { mode })
}
