/**
 * The page's files, read once into memory at start-up. Only this list is served: no path of a request ever becomes a
 * path of a file. The build copies `shell/` beside the bundle.
 */
import { readFile } from 'node:fs/promises'

export interface PageFile {
  readonly path: string
  readonly type: string
  readonly content: string
}

const FOLDER = new URL('./shell/', import.meta.url)

const HTML = 'text/html; charset=utf-8'
const SCRIPT = 'text/javascript; charset=utf-8'

const FILES = [
  { path: '/', name: 'index.html', type: HTML },
  { path: '/shell.js', name: 'shell.js', type: SCRIPT },
  { path: '/ask.js', name: 'ask.js', type: SCRIPT },
  { path: '/home.js', name: 'home.js', type: SCRIPT },
  { path: '/marks.js', name: 'marks.js', type: SCRIPT },
  { path: '/approvals.js', name: 'approvals.js', type: SCRIPT },
  { path: '/elements.js', name: 'elements.js', type: SCRIPT },
  { path: '/shell.css', name: 'shell.css', type: 'text/css; charset=utf-8' },
  { path: '/icon.svg', name: 'icon.svg', type: 'image/svg+xml' },
]

export async function readPageFiles(): Promise<readonly PageFile[]> {
  return await Promise.all(
    FILES.map(async ({ path, name, type }) => ({
      path,
      type,
      content: await readFile(new URL(name, FOLDER), 'utf8'),
    })),
  )
}
