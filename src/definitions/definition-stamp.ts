/** Says whether anybody edited the files of a server: another text after every edit. */
import { join } from 'node:path'
import type { ServerId } from '../kernel/server-id.ts'
import { createFileStamp } from './file-stamp.ts'

export function createDefinitionStamp(folders: readonly string[]): (server: ServerId) => string {
  const known = new Map<ServerId, readonly (() => string)[]>()
  return (server) => {
    const stamps =
      known.get(server) ?? folders.map((folder) => createFileStamp(join(folder, `${server}.toml`)))
    known.set(server, stamps)
    return stamps.map((stamp) => stamp()).join(' ')
  }
}
