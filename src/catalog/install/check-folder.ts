/** Checks that a finished folder still is what was installed. Reads and compares; never repairs. */
import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { tampered } from './install-errors.ts'
import { describeAgain, firstDifference, looksUntouched, parseManifest } from './manifest.ts'
import { MANIFEST_FILE, type Receipt, RECEIPT_FILE, readReceipt } from './receipt.ts'
import { manifestPin } from './spell-manifest.ts'
import type { TreeEntry } from './tree.ts'

const OWN_FILES = [RECEIPT_FILE, MANIFEST_FILE]

/** Returns the receipt, or throws `catalog.tampered`. */
export type CheckFolder = (folder: string) => Promise<Receipt>

/**
 * A home that was copied or restored has other file facts and the same bytes. Such a folder is hashed once per process;
 * afterwards its new facts count.
 */
export function createCheckFolder(): CheckFolder {
  const hashed = new Map<string, Hashed>()
  const readRecords = createRecordsReader()
  return async (folder) => {
    const { receipt, entries, names } = await readRecords(folder)
    const before = hashed.get(folder)
    const facts = before?.same === entries ? before.facts : entries
    if (hasNames(folder, names) && (await looksUntouched(folder, facts))) return receipt
    const now = await orTampered(folder, 'it cannot be read', () =>
      describeAgain(folder, OWN_FILES),
    )
    const difference = firstDifference(entries, now)
    if (difference !== undefined) throw tampered(folder, difference)
    hashed.set(folder, { same: entries, facts: now })
    return receipt
  }
}

/** `facts`: of the files that had the bytes of the manifest's entries `same`. */
interface Hashed {
  readonly same: readonly TreeEntry[]
  readonly facts: readonly TreeEntry[]
}

interface Records {
  readonly receipt: Receipt
  readonly entries: readonly TreeEntry[]
  /** All that lies directly in the folder, sorted. */
  readonly names: string
}

/** The same manifest, byte for byte, is parsed only once. */
function createRecordsReader(): (folder: string) => Promise<Records> {
  const parsed = new Map<string, { readonly pin: string } & Omit<Records, 'receipt'>>()
  return async (folder) =>
    await orTampered(folder, 'its records are missing or damaged', async () => {
      const receipt = await readReceipt(folder)
      const manifest = await readFile(path.join(folder, MANIFEST_FILE), 'utf8')
      const pin = manifestPin(manifest)
      if (pin !== receipt.manifest) throw new Error('the manifest is another one')
      const known = parsed.get(folder)
      if (known?.pin === pin) return { ...known, receipt }
      const entries = parseManifest(manifest)
      const records = { entries, names: namesAmong(entries) }
      parsed.set(folder, { pin, ...records })
      return { ...records, receipt }
    })
}

function namesAmong(entries: readonly TreeEntry[]): string {
  const top = entries.map(({ path }) => path).filter((one) => /^[^/]+\/?$/.test(one))
  return [...OWN_FILES, ...top.map((one) => one.replace('/', ''))].sort().join('/')
}

/** The folder's own times are no help: the final rename changed them. */
function hasNames(folder: string, names: string): boolean {
  return readdirSync(folder).sort().join('/') === names
}

async function orTampered<T>(folder: string, why: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (cause) {
    throw tampered(folder, why, cause)
  }
}
