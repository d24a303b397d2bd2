/**
 * The folders that servers may write, of every definition that was loaded since the start: a link that a server planted
 * is still there when its definition is gone. Reads nothing itself.
 */
import type { Definitions } from '../kernel/ports.ts'

export interface WritableFolders {
  readonly list: () => readonly string[]
  /** The same definitions; what they load is noted. */
  noting<T extends Pick<Definitions, 'load'>>(definitions: T): T
}

export function createWritableFolders(): WritableFolders {
  const folders = new Set<string>()
  return {
    list: () => [...folders],
    noting: (definitions) => ({
      ...definitions,
      async load(workingFolder) {
        const listing = await definitions.load(workingFolder)
        for (const { definition } of listing.servers) {
          for (const folder of definition.sandbox.writePaths) folders.add(folder)
        }
        return listing
      },
    }),
  }
}
