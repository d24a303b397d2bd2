/**
 * The name and the folders of a server, for plans and answers. Read again only when its definition has changed: every
 * message asks for them several times, and reading all definitions is most of what a short turn costs.
 */
import type { Definitions } from '../kernel/ports.ts'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { AboutServer } from './turn-deps.ts'

interface HostFacts {
  readonly homeFolder: string
  /** Names of the built-in servers, which have no definition. */
  readonly own: ReadonlyMap<string, string>
}

export function createAboutServers(
  definitions: Pick<Definitions, 'load' | 'stamp'>,
  { homeFolder, own }: HostFacts,
): (server: string) => Promise<AboutServer> {
  const known = new Map<string, { readonly stamp: string; readonly about: AboutServer }>()
  return async (server) => {
    // Before the reading: a change in between is seen the next time.
    const stamp = definitions.stamp(server as ServerId)
    const before = known.get(server)
    if (before?.stamp === stamp) return before.about
    const { servers } = await definitions.load()
    const found = servers.find(({ definition }) => definition.id === server)?.definition
    const about = {
      name: found?.name ?? own.get(server) ?? server,
      place: { homeFolder, folders: foldersOf(found) },
    }
    known.set(server, { stamp, about })
    return about
  }
}

function foldersOf(definition: ServerDefinition | undefined): readonly string[] {
  const { readPaths = [], writePaths = [] } = definition?.sandbox ?? {}
  return [...readPaths, ...writePaths]
}
