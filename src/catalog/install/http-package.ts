/** Cordon's own small HTTP server, installed like any other package: same layout, same check, no network. */
import { hash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { finishTree } from './finish-tree.ts'

export interface HttpPackage {
  readonly name: string
  readonly version: string
  readonly integrity: string
  /** The path of the program, relative to the folder. */
  readonly entry: string
  install(tree: string): Promise<void>
}

const NAME = 'cordon-http'
const ENTRY = 'http-server.mjs'
const DESCRIPTION = `${JSON.stringify({ name: NAME, private: true, type: 'module' })}\n`

/** The version is derived from the program's hash, so that a newer Cordon never runs an older server by mistake. */
export async function readHttpPackage(source: string): Promise<HttpPackage> {
  const program = await readFile(source)
  const integrity = `sha512-${hash('sha512', program, 'base64')}`
  const version = `1.0.0-${hash('sha512', program, 'hex').slice(0, 8)}`
  return {
    name: NAME,
    version,
    integrity,
    entry: ENTRY,
    async install(tree) {
      await writeFile(path.join(tree, ENTRY), program)
      await writeFile(path.join(tree, 'package.json'), DESCRIPTION)
      await finishTree(tree, () => ({
        package: NAME,
        version,
        integrity,
        publisher: 'cordon',
        packages: 1,
        refusedScripts: [],
      }))
    },
  }
}
