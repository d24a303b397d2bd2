/**
 * The page's files, read once into memory at start-up. Only these are served: no path of a request ever becomes a path of
 * a file. They are built from `app/`, into `page/` beside the bundle or, in development, into `.cache/page`.
 */
import { existsSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

export interface PageFile {
  readonly path: string
  readonly type: string
  readonly content: string
}

const BUILT = fileURLToPath(new URL('./page/', import.meta.url))
const DEVELOPED = fileURLToPath(new URL('../../.cache/page/', import.meta.url))

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
}

export async function readPageFiles(): Promise<readonly PageFile[]> {
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
  return read.length > 0 ? read : [NOT_BUILT]
}

const NOT_BUILT: PageFile = {
  path: '/',
  type: 'text/html; charset=utf-8',
  content:
    '<!doctype html><html lang="en"><title>Cordon</title><p>The page was not built. Run <code>npm start</code> in the folder of Cordon.</p></html>',
}
