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

/** Commander imports this module to start programs, which no command of ours does. */
const NO_PROGRAMS =
  "export default { spawn: (...args) => process.getBuiltinModule('node:child_process').spawn(...args) }"

const BUILTIN_IMPORT =
  /\bimport\s*(?:([\w$]+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s*["'](node:[\w/]+)["'];?/g

/**
 * Loads built-in modules without an ES module facade. A facade reads every export, and with `fs` that loads its promises,
 * streams and workers, with `http` all of undici: half of the time of a short command.
 */
function withoutFacades(code: string): string {
  return code.replace(BUILTIN_IMPORT, (_, whole: string, names: string, id: string) => {
    const loaded = `process.getBuiltinModule("${id}")`
    const members = names?.replaceAll(/([\w$]+)\s+as\s+/g, '$1:')
    return [
      ...(whole ? [`const ${whole}=${loaded};`] : []),
      ...(members ? [`const{${members}}=${loaded};`] : []),
    ].join('')
  })
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
      name: 'quick-start',
      resolveId(id, importer) {
        const isCommander = importer?.includes('/node_modules/commander/')
        return isCommander && id === 'node:child_process' ? '\0no-programs' : null
      },
      load: (id) => (id === '\0no-programs' ? NO_PROGRAMS : null),
      renderChunk: (code) => withoutFacades(code),
    },
    {
      name: 'plain-files',
      renderStart({ dir = 'dist' }) {
        rmSync(dir, { recursive: true, force: true })
      },
      writeBundle({ dir = 'dist' }) {
        cpSync('src/catalog/install/http-server.mjs', path.join(dir, 'http-server.mjs'))
        cpSync('src/catalog/shipped/sqlite', path.join(dir, 'sqlite'), { recursive: true })
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
