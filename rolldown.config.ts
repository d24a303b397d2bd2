/** Bundles the program for publishing: one small chunk for the command line, the kernel's rooms loaded on demand. */
import { cpSync, rmSync } from 'node:fs'
import { defineConfig } from 'rolldown'

rmSync('dist', { recursive: true, force: true })

export default defineConfig({
  // Workers are files of their own, started by name.
  input: {
    main: 'src/main.ts',
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
      name: 'plain-files',
      writeBundle() {
        cpSync('src/web/shell', 'dist/shell', { recursive: true })
        cpSync('src/catalog/install/http-server.mjs', 'dist/http-server.mjs')
      },
    },
  ],
})
