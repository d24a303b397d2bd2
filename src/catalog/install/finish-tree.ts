/** The last steps of every install: seal the files, write their manifest, then the receipt that pins the manifest. */
import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { manifestPin, spellManifest } from './manifest.ts'
import { MANIFEST_FILE, type Receipt, RECEIPT_FILE, spellReceipt } from './receipt.ts'
import { describeTree, sealTree, type TreeEntry } from './tree.ts'

export type Findings = Omit<Receipt, 'format' | 'manifest' | 'bytes'>

/** Calls `findings` with the listed files. Nothing may write to the folder after this. */
export async function finishTree(
  tree: string,
  findings: (entries: readonly TreeEntry[]) => Findings,
): Promise<void> {
  const names = await readdir(tree)
  await sealTree(tree, names)
  const entries = await describeTree(tree, names)
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  const manifest = spellManifest(entries)
  const pin = manifestPin(manifest)
  const receipt = { format: 1, ...findings(entries), bytes, manifest: pin } as const
  await writeFile(path.join(tree, MANIFEST_FILE), manifest, { mode: 0o644, flush: true })
  await writeFile(path.join(tree, RECEIPT_FILE), spellReceipt(receipt), {
    mode: 0o644,
    flush: true,
  })
}
