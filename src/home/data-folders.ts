/** The folders below `data/` that servers keep things in between starts. Removes one; never looks into it. */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ServerId } from '../kernel/server-id.ts'

export interface DataFolders {
  /** The folder of a server that has kept something; undefined if it has none. */
  find(server: ServerId): string | undefined
  /** True if there was one. */
  remove(server: ServerId): Promise<boolean>
}

export function createDataFolders(folder: string): DataFolders {
  const find = (server: ServerId): string | undefined => {
    const own = join(folder, server)
    return existsSync(own) ? own : undefined
  }
  return {
    find,
    async remove(server) {
      const own = find(server)
      if (own !== undefined) await rm(own, { recursive: true, force: true })
      return own !== undefined
    },
  }
}
