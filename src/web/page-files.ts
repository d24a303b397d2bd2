/**
 * The page's files, read once into memory at start-up. Only these are served: no path of a request ever becomes a path of
 * a file. They are built from `app/`, into `page/` beside the bundle or, in development, into `.cache/page`.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageFile {
  readonly path: string
  readonly type: string
  readonly content: string
}

export interface PageFiles {
  readonly files: readonly PageFile[]
  /** Names this very set of files; the page holds it too, and can tell when the kernel serves another set. */
  readonly hash: string
}

const BUILT = fileURLToPath(new URL('./page/', import.meta.url))
const DEVELOPED = fileURLToPath(new URL('../../.cache/page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export async function readPageFiles(): Promise<PageFiles> {
  const folder = existsSync(BUILT) ? BUILT : DEVELOPED
  const names = existsSync(folder) ? await readdir(folder) : []
  const files = names.flatMap((name) => {
    const type = TYPES[path.extname(name)]
    return type === undefined ? [] : [{ name, type }]
  })
  const read = await Promise.all(
    files.map(async ({ name, type }) => ({
      path: name === 'index.html' ? '/' : `/${name}`,
      type,
      content: await readFile(path.join(folder, name), 'utf8'),
    })),
  )
  const hash = hashOf(read)
  return { hash, files: read.length > 0 ? read.map((file) => withHash(file, hash)) : [NOT_BUILT] }
}

function hashOf(files: readonly PageFile[]): string {
  const sum = createHash('sha256')
  for (const { path: at, content } of files.toSorted((a, b) => (a.path < b.path ? -1 : 1)))
    sum.update(`${at}\0${content}\0`)
  return sum.digest('hex').slice(0, 16)
}

function withHash(file: PageFile, hash: string): PageFile {
  const content = file.content.replace(
    'name="cordon-page" content=""',
    `name="cordon-page" content="${hash}"`,
  )
  return { ...file, content }
}

const NOT_BUILT: PageFile = {
  path: '/',
  type: 'text/html; charset=utf-8',
  content:
    '<!doctype html><html lang="en"><title>Cordon</title><p>The page was not built. Run <code>npm start</code> in the folder of Cordon.</p></html>',
}
