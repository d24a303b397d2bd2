/**
 * The configuration file of a client on disk: found, read and replaced as a whole. A symbolic link is followed to the
 * file behind it, so that the link stays. Never changes a file that is no longer the one that was read.
 */
import { isUtf8 } from 'node:buffer'
import { existsSync } from 'node:fs'
import { lstat, realpath, stat } from 'node:fs/promises'
import { CordonError } from '../../kernel/error.ts'
import type { Files } from '../../kernel/ports.ts'
import type { SharedFiles } from '../../ports/shared-files-port.ts'
import { hashBytes } from '../definition-folder.ts'
import {
  CLIENT_CONFIGS,
  type ClientConfig,
  type ConfigFolders,
  configsAt,
  placesOf,
} from './client-configs.ts'

export interface ConfigFile {
  readonly config: ClientConfig
  readonly path: string
  /** Empty for a file that does not exist. */
  readonly bytes: Buffer
  readonly text: string
  /** Undefined for a file that does not exist. */
  readonly mode: number | undefined
  readonly hash: string
}

const MOST_BYTES = 32 * 2 ** 20
export const NO_FILE = 'none'

export function clientNamed(id: string, folders: ConfigFolders): ClientConfig {
  const found = configsAt(folders).find((config) => config.id === id)
  if (found) return found
  throw new CordonError(
    'clients.unknown',
    { exit: 2, hint: `Name one of ${CLIENT_CONFIGS.map((config) => config.id).join(', ')}` },
    `Cannot find a client called ${JSON.stringify(id)}`,
  )
}

/** The place of the file that exists, or else of the one to make. */
export function placeOf(config: ClientConfig, folders: ConfigFolders): string {
  const places = placesOf(config, folders)
  return places.find((place) => existsSync(place)) ?? places[0] ?? ''
}

export async function readConfigFile(
  config: ClientConfig,
  place: string,
  files: Pick<Files, 'read'>,
): Promise<ConfigFile> {
  const path = await realpath(place).catch(() => place)
  const stats = await stat(path).catch(() => undefined)
  if (!stats) {
    const isLink = (await lstat(path).catch(() => undefined))?.isSymbolicLink()
    // Writing there would replace the link, and an undo would remove it.
    if (isLink) throw unfit(path, 'it is a link to a file that does not exist')
    const bytes = Buffer.alloc(0)
    return { config, path, bytes, text: '', mode: undefined, hash: NO_FILE }
  }
  if (!stats.isFile() || stats.size > MOST_BYTES) throw unfit(path, 'it is no file of this kind')
  const bytes = (await files.read(path)) ?? Buffer.alloc(0)
  // Decoding would change other bytes in silence.
  if (!isUtf8(bytes)) throw unfit(path, 'it is not text in UTF-8')
  const text = bytes.toString()
  return { config, path, bytes, text, mode: stats.mode & 0o777, hash: hashBytes(bytes) }
}

/** The program may write its file at any time. False if it has since, and nothing was changed then. */
export async function replaceConfigFile(
  { path, hash }: ConfigFile,
  content: string | Uint8Array,
  mode: number | undefined,
  files: Pick<SharedFiles, 'read' | 'replace'>,
): Promise<boolean> {
  return await files.replace(path, content, mode, () => isUnchanged({ path, hash }, files))
}

/** The same for a file that did not exist before. */
export async function removeConfigFile(
  { path, hash }: ConfigFile,
  files: Pick<Files, 'read' | 'remove'>,
): Promise<boolean> {
  if (!(await isUnchanged({ path, hash }, files))) return false
  await files.remove(path)
  return true
}

async function isUnchanged(
  { path, hash }: Pick<ConfigFile, 'path' | 'hash'>,
  files: Pick<Files, 'read'>,
): Promise<boolean> {
  const bytes = await files.read(path)
  return (bytes ? hashBytes(bytes) : NO_FILE) === hash
}

export function changedMeanwhile({ path }: Pick<ConfigFile, 'path'>): CordonError {
  return new CordonError(
    'clients.changed',
    { exit: 2, hint: 'Run the command again to see what is in it now' },
    `Cannot change ${JSON.stringify(path)}: it has changed since it was shown`,
  )
}

function unfit(path: string, why: string): CordonError {
  return new CordonError(
    'clients.config',
    { exit: 2, hint: 'Look at the file, and correct it' },
    `Cannot read ${JSON.stringify(path)}: ${why}`,
  )
}
