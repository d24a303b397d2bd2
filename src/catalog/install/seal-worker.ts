/**
 * The worker thread that seals one finished tree and writes its manifest: up to 2 GiB are hashed, and 200,000 files
 * listed, which would hold up everything else that the main thread does. Answers once, and ends.
 */
import { readdirSync, writeFileSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
import { manifestPin, spellManifest } from './spell-manifest.ts'
import { describeTree, sealTree } from './tree.ts'
import { Unfit } from './unfit.ts'

export interface SealJob {
  readonly tree: string
  readonly manifestFile: string
}

export interface SealedTree {
  /** Of all files. */
  readonly bytes: number
  readonly manifest: string
  /** Relative, each with `/` at its end. */
  readonly folders: readonly string[]
}

/** An error without its class, which no message between threads keeps. */
export interface SealFailure {
  readonly isUnfit: boolean
  readonly message: string
  readonly code: string | undefined
}

async function sealed({ tree, manifestFile }: SealJob): Promise<SealedTree> {
  const names = readdirSync(tree)
  await sealTree(tree, names)
  const entries = await describeTree(tree, names)
  const manifest = spellManifest(entries)
  writeFileSync(manifestFile, manifest, { mode: 0o644, flush: true })
  const bytes = entries.reduce((sum, { size }) => sum + size, 0)
  const folders = entries.map((entry) => entry.path).filter((one) => one.endsWith('/'))
  return { bytes, manifest: manifestPin(manifest), folders }
}

function failureOf(error: unknown): SealFailure {
  const { message, code } = error as NodeJS.ErrnoException
  return { isUnfit: error instanceof Unfit, message, code }
}

parentPort?.postMessage(await sealed(workerData as SealJob).catch(failureOf), [])
