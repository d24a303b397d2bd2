/** The moving of clients over fake ports, and one client's file. For tests only. */
import { chmod, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Notes } from '../../kernel/ports.ts'
import type { ClientImports } from '../../ports/client-import-port.ts'
import { createDefinitions } from '../create-definitions.ts'
import type { FakeDeps } from '../fake-deps.ts'
import { configFolders } from './client-configs.ts'
import { type ClientImportDeps, createClientImports } from './create-client-imports.ts'

/** Over fake ports that can crash before every change. */
export function createImports(
  deps: FakeDeps,
): ClientImports & { readonly registered: Set<string> } {
  const registered = new Set<string>()
  const kept = new Map<string, string>()
  const step = (what: string): void => {
    deps.beforeStep(what)
    deps.steps.push(what)
  }
  const notes: Notes = {
    async put(_kind, id, content) {
      step('note')
      kept.set(id, content)
    },
    list: async () => [...kept].map(([id, content]) => ({ id, content })),
    async remove(_kind, id) {
      step('note removed')
      kept.delete(id)
    },
  }
  const imports = createClientImports({
    ...deps,
    folders: configFolders('linux', deps.homeFolder, {}),
    definitions: createDefinitions(deps),
    notes,
    files: fakeFiles(deps),
    clients: fakeClients(registered, step),
    sweep: async () => undefined,
    startLine: (name) => ({
      command: '/usr/bin/node',
      args: ['/opt/cordon.js', 'gateway', '--client', name],
      env: {},
    }),
    tryLine: async () => ({ tools: 0 }),
  })
  return { ...imports, registered }
}

function fakeFiles(deps: FakeDeps): ClientImportDeps['files'] {
  return {
    ...deps.files,
    async replace(path, content, mode, isStill) {
      deps.beforeStep(`prepare ${path}`)
      if (!(await isStill())) return false
      await deps.files.write(path, content)
      if (mode !== undefined) await chmod(path, mode)
      return true
    },
  }
}

function fakeClients(
  registered: Set<string>,
  step: (what: string) => void,
): ClientImportDeps['clients'] {
  const client = (name: string) => ({ name, taint: 'ask' as const, createdAt: '' })
  return {
    async add({ name }) {
      step('register')
      registered.add(name)
      return { client: client(name), token: '' }
    },
    list: async () => [...registered].map(client),
    async remove(name) {
      step('unregister')
      registered.delete(name)
    },
  }
}

export const CONFIG: string = `{
  // mine
  "mcpServers": {
    "github": {"command": "/bin/true", "args": [], "env": {"GITHUB_TOKEN": "ghp_canary0123456789canary0123456789"}},
    "gone": {"command": "/no/such/program"},
  },
  "theme": "dark", /* last */
}
`

export async function openCursor(deps: FakeDeps, text: string = CONFIG): Promise<string> {
  const path = join(deps.homeFolder, '.cursor/mcp.json')
  await mkdir(join(deps.homeFolder, '.cursor'), { recursive: true })
  await writeFile(path, text, { mode: 0o640 })
  return path
}
