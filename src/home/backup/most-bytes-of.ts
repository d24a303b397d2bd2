/**
 * The names that a backup holds, and how large each may be; used for writing and for reading, so that a backup can be
 * restored. Names only: never touches the disk. Left out on purpose: `packages/` and `cache/`, which are fetched again,
 * `logs/`, and `run/` with the socket and the lock.
 */
import { MOST_MEMBER_BYTES } from './pack-tar.ts'

/** The first member: what the rest is. */
export const MANIFEST = 'cordon-backup.json'

const MIB = 1024 * 1024
const LONGEST_PART_BYTES = 255
const MOST_PARTS = 32

/** Folders of a home, with the most bytes of one file in it. */
export const FOLDERS: readonly (readonly [name: RegExp, most: number])[] = [
  [/^mcp$/, 16 * MIB],
  [/^pins$/, 64 * MIB],
  [/^certs$/, 16 * MIB],
  [/^vault$/, 16 * MIB],
  [/^vault-set-aside-[\w-]+$/, 16 * MIB],
  [/^audit$/, MOST_MEMBER_BYTES],
  [/^data$/, MOST_MEMBER_BYTES],
]

const FILES: Readonly<Record<string, number>> = {
  [MANIFEST]: MIB,
  'config.toml': 16 * MIB,
  'audit-head': MIB,
  'state.db': MOST_MEMBER_BYTES,
  'runs.db': MOST_MEMBER_BYTES,
}

/** The most bytes of the member with this name; undefined for a name that no backup of ours holds. */
export function mostBytesOf(name: string): number | undefined {
  const parts = name.split('/')
  const [first = ''] = parts
  if (parts.length === 1) return Object.hasOwn(FILES, first) ? FILES[first] : undefined
  if (parts.length > MOST_PARTS || !parts.every(isSafePart)) return undefined
  return FOLDERS.find(([folder]) => folder.test(first))?.[1]
}

/** No way up or out, and nothing that a terminal or another file system would take for something else. */
function isSafePart(part: string): boolean {
  const isPlain =
    part !== '' && part !== '.' && part !== '..' && !/[\p{Cc}\p{Cf}\\\uFFFD]/u.test(part)
  return isPlain && Buffer.byteLength(part) <= LONGEST_PART_BYTES
}
