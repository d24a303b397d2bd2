/** The last steps of every install: seal the files, write their manifest, then the receipt that pins the manifest. */
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { Worker } from 'node:worker_threads'
import { MANIFEST_FILE, type Receipt, RECEIPT_FILE, spellReceipt } from './receipt.ts'
import type { SealedTree, SealFailure, SealJob } from './seal-worker.ts'
import { Unfit } from './unfit.ts'

export type Findings = Omit<Receipt, 'format' | 'manifest' | 'bytes'>

/** Calls `findings` with the folders of the tree. Nothing may write to the tree after this. */
export async function finishTree(
  tree: string,
  findings: (folders: readonly string[]) => Findings,
): Promise<void> {
  const { bytes, manifest, folders } = await sealInThread(tree)
  const receipt = { format: 1, ...findings(folders), bytes, manifest } as const
  await writeFile(path.join(tree, RECEIPT_FILE), spellReceipt(receipt), {
    mode: 0o644,
    flush: true,
  })
}

const GONE: SealFailure = {
  isUnfit: false,
  message: 'The thread that seals it ended without an answer',
  code: undefined,
}

async function sealInThread(tree: string): Promise<SealedTree> {
  const job: SealJob = { tree, manifestFile: path.join(tree, MANIFEST_FILE) }
  const worker = new Worker(workerFile(), { workerData: job, env: {} })
  const answer = await Promise.race([
    once(worker, 'message').then(([said]) => said as SealedTree | SealFailure),
    once(worker, 'exit').then(() => GONE),
  ])
  await worker.terminate()
  if (!('message' in answer)) return answer
  if (answer.isUnfit) throw new Unfit(answer.message)
  throw Object.assign(new Error(answer.message), { code: answer.code })
}

/** Beside this file: `.ts` in development, bundled `.js` when installed. */
function workerFile(): URL {
  const extension = import.meta.url.endsWith('.ts') ? 'ts' : 'js'
  return new URL(`./seal-worker.${extension}`, import.meta.url)
}
