/**
 * Everything of a home that belongs into a backup, one member after the other. Vault, audit log and databases are asked
 * for a state of one moment; the rest is small files that are written whole.
 */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { AuditSnapshot } from '../../kernel/audit-record.ts'
import type { HomePaths } from '../home-paths.ts'
import { isTemporary } from '../whole-file.ts'
import { FOLDERS, MANIFEST, mostBytesOf } from './most-bytes-of.ts'
import type { BackupManifest } from './backup-manifest.ts'
import { copyDatabase } from './copy-database.ts'
import { bytesMember, fileMember } from './file-member.ts'
import { fitsTar, type Member } from './pack-tar.ts'

/** Files of the audit log, which are given by the log itself. */
const LOG = /^audit\/audit(?:-\d{16})?\.jsonl$/

export interface BackupSources {
  readonly paths: HomePaths
  readonly manifest: Pick<BackupManifest, 'cordon' | 'store'>
  /** The vault as it is to be restored, of one moment. */
  vault(): Promise<{
    readonly key: BackupManifest['vaultKey']
    readonly files: readonly { readonly name: string; readonly content: Uint8Array }[]
  }>
  audit(): Promise<AuditSnapshot>
  readonly now: () => number
}

/** `leftOut` is told the names of files that a backup cannot hold: links, sockets, and names that tar has no room for. */
export async function* collectMembers(
  sources: BackupSources,
  leftOut: (name: string) => void,
): AsyncGenerator<Member> {
  const { paths, manifest } = sources
  const { key, files } = await sources.vault()
  const madeAt = new Date(sources.now()).toISOString()
  const about: BackupManifest = {
    format: 'cordon-backup',
    version: 1,
    ...manifest,
    madeAt,
    vaultKey: key,
  }
  yield bytesMember(MANIFEST, Buffer.from(`${JSON.stringify(about, null, 2)}\n`))
  for (const { name, content } of files) yield bytesMember(`vault/${name}`, content)
  const { files: logs, anchor } = await sources.audit()
  yield bytesMember('audit-head', anchor)
  for (const { name, bytes } of logs) {
    const log = await fileMember(`audit/${name}`, join(paths.audit, name), bytes)
    if (log) yield log
  }
  if (manifest.store === 'sqlite') {
    yield* databaseMember('state.db', paths.state, paths.cache)
    yield* databaseMember('runs.db', paths.runs, paths.cache)
  }
  const config = await fileMember('config.toml', paths.config)
  if (config) yield config
  for (const name of await folderNames(paths.home)) yield* folderMembers(paths.home, name, leftOut)
}

async function* databaseMember(name: string, path: string, folder: string): AsyncGenerator<Member> {
  await using copy = await copyDatabase(path, folder)
  const member = copy && (await fileMember(name, copy.path))
  if (member) yield member // the copy is removed when the next member is asked for
}

/** The folders to walk; that of the vault was given by the vault itself. */
async function folderNames(home: string): Promise<readonly string[]> {
  const entries = await readdir(home, { withFileTypes: true })
  return entries
    .filter((entry) => entry.isDirectory() && entry.name !== 'vault')
    .map((entry) => entry.name)
    .filter((name) => FOLDERS.some(([folder]) => folder.test(name)))
    .sort()
}

async function* folderMembers(
  home: string,
  folder: string,
  leftOut: (name: string) => void,
): AsyncGenerator<Member> {
  const entries = await readdir(join(home, folder), { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const name = `${folder}/${entry.name}`
    if (LOG.test(name) || isTemporary(entry.name)) continue
    if (entry.isDirectory()) {
      yield* folderMembers(home, name, leftOut)
      continue
    }
    const member = entry.isFile() ? await fileMember(name, join(home, name)) : undefined
    if (member && member.bytes <= (mostBytesOf(name) ?? -1) && fitsTar(name, member.bytes)) {
      yield member
    } else {
      leftOut(name)
    }
  }
}
