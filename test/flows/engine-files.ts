/** Saved flows in memory, and files without the home folder's rules, for tests of the engine. */
import { mkdirSync } from 'node:fs'
import { readdir, readFile, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import type { StoredFlow } from '../../src/ports/saved-flow-port.ts'
import type { Files } from '../../src/kernel/ports.ts'

export function memoryShelf(): FlowDeps['savedFlows'] {
  const flows = new Map<string, StoredFlow>()
  return {
    async put(flow, replace) {
      if (flows.has(flow.name) && !replace) return false
      flows.set(flow.name, flow)
      return true
    },
    get: async (name) => flows.get(name),
    list: async () => [...flows.values()],
    remove: async (name) => flows.delete(name),
  }
}

export function plainFiles(): Files {
  return {
    read: async (file) => await readFile(file).catch(() => undefined),
    list: async (folder) => await readdir(folder).catch(() => []),
    async write(file, content) {
      mkdirSync(path.dirname(file), { recursive: true })
      await writeFile(file, content)
    },
    remove: async (file) => await rm(file, { force: true }),
  }
}
