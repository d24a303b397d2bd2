/** Reads the files that a law judges. Paths are relative to the root, with forward slashes, in sorted order. */
import { globSync, readFileSync } from 'node:fs'
import path from 'node:path'

type Source = readonly [file: string, text: string]

/** The law of plain comments holds for every file that people read; the other laws judge the program only. */
export const COMMENTED: readonly string[] = [
  'src/**/*.ts',
  'test/**/*.ts',
  'bench/**/*.ts',
  'scripts/**/*.{ts,mjs,cjs}',
  'bin/*.cjs',
]

export function readSources(root: string, patterns: readonly string[]): readonly Source[] {
  return globSync(patterns, { cwd: root })
    .map((file) => file.replaceAll('\\', '/'))
    .toSorted()
    .map((file) => [file, readFileSync(path.join(root, file), 'utf8')] as const)
}
