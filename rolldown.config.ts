/** Bundles the program for publishing: one small chunk for the command line, the kernel's rooms loaded on demand. */
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type ChunkingContext, defineConfig } from 'rolldown'

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
    const loaded = `globalThis.process.getBuiltinModule("${id}")`
    const members = names?.replaceAll(/([\w$]+)\s+as\s+/g, '$1:')
    return [
      ...(whole ? [`const ${whole}=${loaded};`] : []),
      ...(members ? [`const{${members}}=${loaded};`] : []),
    ].join('')
  })
}

/** All modules that these files load at once, themselves included. */
function loadedBy(files: readonly string[], context: ChunkingContext): Set<string> {
  const loaded = new Set(files.map((file) => path.resolve(file)))
  for (const id of loaded) {
    for (const next of context.getModuleInfo(id)?.importedIds ?? []) loaded.add(next)
  }
  return loaded
}

/**
 * Few files: opening one costs a short command as much as compiling ten kilobytes. Every command loads `shared` and
 * `quick`, those that are not in `QUICK` also `commands`; the library loads `shared`. Each of the three imports only
 * the one before it and files of neither, so there is no circle.
 */
function createChunkNames(): (id: string, context: ChunkingContext) => string | null {
  let known: { readonly quick: Set<string>; readonly library: Set<string> } | undefined
  return (id, context) => {
    known ??= { quick: loadedBy(QUICK, context), library: loadedBy([LIBRARY], context) }
    if (id === path.resolve(MAIN) || id === path.resolve(LIBRARY)) return null
    if (known.quick.has(id)) return known.library.has(id) ? 'shared' : 'quick'
    return id.includes('/src/cli/') ? 'commands' : null
  }
}

const MAIN = 'src/main.ts'
const LIBRARY = 'src/library.ts'
/** Typed, or run by a script, more often than all others. */
const QUICK = [MAIN, 'src/cli/commands/mcp-list.ts', 'src/cli/commands/mcp-call.ts']

export default defineConfig({
  // Workers are entries of their own, since they are started by file name.
  input: {
    main: 'src/main.ts',
    library: 'src/library.ts',
    'schema-worker': 'src/servers/session/schema-worker.ts',
    'check-worker': 'src/catalog/install/check-worker.ts',
    'seal-worker': 'src/catalog/install/seal-worker.ts',
    'python-worker': 'src/catalog/python/install-worker.ts',
    'image-worker': 'src/catalog/images/image-worker.ts',
    'proof-worker': 'src/catalog/proof/proof-worker.ts',
  },
  platform: 'node',
  preserveEntrySignatures: 'allow-extension',
  external: [/^@napi-rs\//],
  output: {
    dir: 'dist',
    format: 'esm',
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
    minify: true,
    codeSplitting: {
      includeDependenciesRecursively: false,
      groups: [{ debugName: 'command line', name: createChunkNames() }],
    },
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
