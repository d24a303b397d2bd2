/** The text of a manifest, and the hash that pins it. Reads nothing. */
import { hash } from 'node:crypto'
import type { TreeEntry } from './tree.ts'

/** One line for each entry: a list of 200,000 files stays readable, and so does what differs between two of them. */
export function spellManifest(entries: readonly TreeEntry[]): string {
  const lines = entries.map((entry) => {
    const { path, mode, size, sha512, ctimeMs, mtimeMs, inode } = entry
    return JSON.stringify([path, mode, size, sha512, ctimeMs, mtimeMs, inode])
  })
  return `{"format":1,"entries":[\n${lines.join(',\n')}\n]}\n`
}

export function manifestPin(text: string): string {
  return `sha512-${hash('sha512', text, 'base64')}`
}
