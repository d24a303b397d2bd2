/**
 * Builds the page (`src/web/app/`) with rolldown: one entry, one chunk for each screen that is opened later, and one style
 * sheet. `build-page.mjs FOLDER` writes there; without a folder, to `.cache/page`, and only if a source has changed since.
 */
import { createHash } from 'node:crypto'
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const here = fileURLToPath(import.meta.url)
const root = path.join(path.dirname(here), '..')
const app = path.join(root, 'src', 'web', 'app')
const [wanted] = process.argv.slice(2)
const folder = wanted ?? path.join(root, '.cache', 'page')
const stamp = path.join(folder, '.stamp')

const hash = hashSources()
if (wanted !== undefined || readStamp() !== hash) await build()

async function build() {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  const bundle = await rolldown({
    input: { app: path.join(app, 'main.tsx') },
    platform: 'browser',
    tsconfig: path.join(app, 'tsconfig.json'),
    transform: { target: 'es2024' },
  })
  const { output } = await bundle.write({
    dir: folder,
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  })
  await bundle.close()
  const styles = readdirSync(path.join(app, 'styles')).toSorted((a, b) => (a < b ? -1 : 1))
  const sheet = styles.map((name) => readFileSync(path.join(app, 'styles', name), 'utf8'))
  writeFileSync(path.join(folder, 'style.css'), sheet.join('\n'))
  cpSync(path.join(app, 'icon.svg'), path.join(folder, 'icon.svg'))
  const html = readFileSync(path.join(app, 'index.html'), 'utf8')
  writeFileSync(
    path.join(folder, 'index.html'),
    html.replace('  </head>', `${preloads(output)}  </head>`),
  )
  writeFileSync(stamp, hash)
}

/** Everything that the first screen imports, fetched at once: found import by import, each would wait for the one before. */
function preloads(output) {
  const chunks = output.filter(({ type }) => type === 'chunk')
  const wanted = new Set()
  const want = (name) => {
    if (wanted.has(name)) return
    wanted.add(name)
    for (const next of chunks.find(({ fileName }) => fileName === name)?.imports ?? []) want(next)
  }
  want('app.js')
  for (const { name, fileName } of chunks) if (name === 'home') want(fileName)
  wanted.delete('app.js')
  return [...wanted].map((name) => `    <link rel="modulepreload" href="/${name}" />\n`).join('')
}

/** Of everything that the bundle is made of: sources that it may import, this script, and the versions of the libraries. */
function hashSources() {
  const sum = createHash('sha256')
  const files = ['src/web/app', 'src/text', 'src/kernel', 'src/api', 'src/labels'].flatMap((name) =>
    readdirSync(path.join(root, name), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && !entry.name.endsWith('.test.ts'))
      .map((entry) => path.join(entry.parentPath, entry.name)),
  )
  const all = [...files, path.join(root, 'package-lock.json'), here]
  for (const file of all.toSorted((a, b) => (a < b ? -1 : 1)))
    sum.update(file.slice(root.length)).update(readFileSync(file))
  return sum.digest('hex')
}

function readStamp() {
  try {
    return readFileSync(stamp, 'utf8')
  } catch {
    return undefined
  }
}
