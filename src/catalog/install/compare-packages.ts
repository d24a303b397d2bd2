/**
 * The difference between two installed versions of a package: files, other packages that come along, hosts that the code
 * names, install scripts. Both are read as data; no code of either runs. Reading is bounded in bytes, and files that were
 * passed over for it are counted.
 */
import { lstat, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { NameChanges, PackageDifference, VersionFacts } from '../../ports/upgrade-port.ts'
import { ROOT_FOLDER } from '../images/image-facts.ts'
import { parseManifest } from './manifest.ts'
import { hostsNamedIn } from './hosts-named-in.ts'
import { readParts } from './read-parts.ts'
import { MANIFEST_FILE, type Receipt, readReceipt } from './receipt.ts'
import type { TreeEntry } from './tree.ts'

const MOST_NAMED = 20
const LARGEST_FILE = 8 * 2 ** 20
const MOST_BYTES = 64 * 2 ** 20
const IMAGE = `${ROOT_FOLDER}/`
/** Besides every file that may be started, such as a shell script or a compiled program without an ending. */
const CODE = /\.(?:[cm]?[jt]sx?|py|sh|rb|pl|php|lua|node|wasm|so(?:\.\d+)*)$/
const EXECUTABLE = 0o111

interface Version {
  readonly folder: string
  readonly receipt: Receipt
  readonly files: ReadonlyMap<string, TreeEntry>
}

export async function comparePackages(older: string, newer: string): Promise<PackageDifference> {
  const [before, after] = [await readVersion(older), await readVersion(newer)]
  const added = only(after, before)
  const removed = only(before, after)
  const changed = [...after.files.values()].filter(({ path: name, sha512 }) => {
    const old = before.files.get(name)
    return old !== undefined && old.sha512 !== sha512
  })
  const had = await hostsIn(before, [...removed, ...changed])
  const has = await hostsIn(after, [...added, ...changed])
  return {
    before: factsOf(before.receipt),
    after: factsOf(after.receipt),
    files: { added: added.length, removed: removed.length, changed: changed.length },
    named: namedFiles(after.receipt.package, { added, removed, changed }),
    parts: namesChanged(await readParts(older), await readParts(newer)),
    hosts: namesChanged(had.hosts, has.hosts),
    unread: new Set([...had.unread, ...has.unread]).size,
    scripts: namesChanged(scriptedIn(before), scriptedIn(after)),
  }
}

/** Whether a script ran or was refused is a matter of the install; that a package has one, of its version. */
function scriptedIn({ receipt: { refusedScripts, ranScripts = [] } }: Version): readonly string[] {
  return [...refusedScripts, ...ranScripts]
}

async function readVersion(folder: string): Promise<Version> {
  const receipt = await readReceipt(folder)
  const entries = parseManifest(await readFile(path.join(folder, MANIFEST_FILE), 'utf8'))
  const files = entries.filter(({ path: name }) => !name.endsWith('/') && isOfPackage(name))
  return { folder, receipt, files: new Map(files.map((one) => [one.path, one])) }
}

/** Files that the install itself writes, and compiled copies of files that count already, are left out. */
function isOfPackage(name: string): boolean {
  const isOwn = ['node_modules/', 'site/', IMAGE].some((folder) => name.startsWith(folder))
  return isOwn && !name.includes('/__pycache__/') && name !== 'node_modules/.package-lock.json'
}

function only({ files }: Version, other: Version): readonly TreeEntry[] {
  return [...files.values()].filter(({ path: name }) => !other.files.has(name))
}

type Changed = Readonly<Record<'added' | 'removed' | 'changed', readonly TreeEntry[]>>

function namedFiles(name: string, { added, removed, changed }: Changed): readonly string[] {
  const own = (entries: readonly TreeEntry[], mark: string): readonly string[] =>
    entries.flatMap((entry) => {
      const short = ownName(name, entry.path)
      return short === undefined ? [] : [`${mark} ${short}`]
    })
  return [...own(added, '+'), ...own(removed, '-'), ...own(changed, '~')].slice(0, MOST_NAMED)
}

/** The name of a file of the package itself, without those of packages that came along. */
function ownName(name: string, file: string): string | undefined {
  if (file.startsWith(IMAGE)) return file.slice(IMAGE.length - 1)
  const home = `node_modules/${name}/`
  if (file.startsWith(home) && !file.includes('/node_modules/')) return file.slice(home.length)
  const module = name.replaceAll('-', '_')
  return file.startsWith(`site/${module}`) ? file.slice('site/'.length) : undefined
}

interface FoundHosts {
  readonly hosts: readonly string[]
  /** Names of code files that were passed over. */
  readonly unread: readonly string[]
}

async function hostsIn(
  { folder, files }: Version,
  entries: readonly TreeEntry[],
): Promise<FoundHosts> {
  const hosts = new Set<string>()
  const unread: string[] = []
  let left = MOST_BYTES
  for (const { path: name } of entries.filter(isCode)) {
    const size = files.get(name)?.size ?? 0
    const isRead = size <= Math.min(LARGEST_FILE, left)
    if (!isRead) unread.push(name)
    if (!isRead || size === 0) continue
    left -= size
    for (const host of await readHosts(path.join(folder, name))) hosts.add(host)
  }
  return { hosts: [...hosts], unread }
}

function isCode({ path: name, mode }: TreeEntry): boolean {
  return CODE.test(name) || (mode & EXECUTABLE) !== 0
}

/** Compiled programs have their texts in one piece too. A link of an image is not followed. */
async function readHosts(file: string): Promise<ReadonlySet<string>> {
  if ((await lstat(file)).isSymbolicLink()) return new Set()
  return hostsNamedIn(await readFile(file, 'latin1'))
}

function namesChanged(before: readonly string[], after: readonly string[]): NameChanges {
  const [old, now] = [new Set(before), new Set(after)]
  return {
    added: [...now.difference(old)].sort(),
    removed: [...old.difference(now)].sort(),
  }
}

function factsOf(receipt: Receipt): VersionFacts {
  const { version, publisher, publishedAt, deprecated, provenance, bytes, packages } = receipt
  return {
    version,
    ...(publisher !== undefined && { publisher }),
    ...(publishedAt !== undefined && { publishedAt }),
    ...(deprecated !== undefined && { deprecated }),
    ...(provenance && { provenBy: provenance.repository }),
    bytes,
    packages,
  }
}
