/**
 * The difference between two installed versions of a package: files, other packages that come along, hosts that the code
 * names, install scripts. Both are read as data; no code of either runs. Reading is bounded in files and bytes.
 */
import { readFile } from 'node:fs/promises'
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
const CODE = /\.(?:[cm]?js|py)$/

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
  const hosts = namesChanged(
    await hostsIn(before, [...removed, ...changed]),
    await hostsIn(after, [...added, ...changed]),
  )
  return {
    before: factsOf(before.receipt),
    after: factsOf(after.receipt),
    files: { added: added.length, removed: removed.length, changed: changed.length },
    named: namedFiles(after.receipt.package, { added, removed, changed }),
    parts: namesChanged(await readParts(older), await readParts(newer)),
    hosts,
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

async function hostsIn(
  { folder }: Version,
  entries: readonly TreeEntry[],
): Promise<readonly string[]> {
  const found = new Set<string>()
  let left = MOST_BYTES
  for (const { path: name, size } of entries) {
    if (!CODE.test(name) || size > LARGEST_FILE || size > left) continue
    left -= size
    for (const host of hostsNamedIn(await readFile(path.join(folder, name), 'latin1'))) {
      found.add(host)
    }
  }
  return [...found]
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
