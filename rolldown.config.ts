/** Bundles the program for publishing: one small chunk for the command line, the kernel's rooms loaded on demand. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { defineConfig } from 'rolldown'

/** Copies the declarations that `tsc -b` wrote for the library, with the declarations of every imported file. */
function writeTypes(folder: string): void {
  const wanted = ['library.d.ts']
  for (const file of wanted) {
    const source = file.includes('/') ? file : path.join('main', file)
    const text = readFileSync(path.join('.tsc', source), 'utf8')
    for (const [, place = ''] of text.matchAll(/from '(\.[^']+)\.ts'/g)) {
      const next = path.posix.join(path.posix.dirname(file), `${place}.d.ts`)
      if (!wanted.includes(next)) wanted.push(next)
    }
    const target = path.join(folder, file)
    mkdirSync(path.dirname(target), { recursive: true })
    writeFileSync(target, text.replace(/(from '\.[^']*)\.ts'/g, "$1.js'"))
  }
}

/**
 * Built-in modules that commander imports and hardly uses. The facade of a built-in module reads every export when it is
 * imported, which for these two takes as long as the rest of a short command.
 */
const SLIM: Readonly<Record<string, string>> = {
  'node:process': 'export default globalThis.process',
  'node:child_process':
    "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) }",
}

export default defineConfig({
  // Workers are entries of their own, since they are started by file name.
  input: {
    main: 'src/main.ts',
    library: 'src/library.ts',
    'schema-worker': 'src/servers/session/schema-worker.ts',
    'check-worker': 'src/catalog/install/check-worker.ts',
  },
  platform: 'node',
  external: [/^@napi-rs\//],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
  },
  plugins: [
    {
      name: 'slim-commander',
      resolveId(id, importer) {
        return id in SLIM && importer?.includes('/node_modules/commander/') ? `\0slim:${id}` : null
      },
      load(id) {
        return id.startsWith('\0slim:') ? (SLIM[id.slice('\0slim:'.length)] ?? null) : null
      },
    },
    {
      name: 'plain-files',
      renderStart({ dir = 'dist' }) {
        rmSync(dir, { recursive: true, force: true })
      },
      writeBundle({ dir = 'dist' }) {
        cpSync('src/web/shell', path.join(dir, 'shell'), { recursive: true })
        cpSync('src/catalog/install/http-server.mjs', path.join(dir, 'http-server.mjs'))
      },
    },
    {
      name: 'types',
      writeBundle({ dir = 'dist' }) {
        writeTypes(path.join(dir, 'types'))
      },
    },
  ],
})
