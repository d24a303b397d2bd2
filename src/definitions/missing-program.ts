/** Warns of a program or script that a definition names and that is not there. Looks at the disk, opens nothing. */
import { stat } from 'node:fs/promises'
import path from 'node:path'
import type { ServerDefinition } from '../kernel/server-definition.ts'
import { showText } from './show-text.ts'

/** Programs whose first argument is a file, unless it is an option. */
const INTERPRETERS = new Set([
  'node',
  'bun',
  'deno',
  'python',
  'python3',
  'perl',
  'ruby',
  'bash',
  'sh',
])

export async function missingProgram({
  command = '',
  args,
}: Pick<ServerDefinition, 'command' | 'args'>): Promise<readonly string[]> {
  const [first = ''] = args
  const named = INTERPRETERS.has(path.basename(command)) ? [command, first] : [command]
  const files = named.filter((word) => path.isAbsolute(word))
  const found = await Promise.all(files.map((file) => isThere(file)))
  return files
    .filter((_, index) => !found[index])
    .map((file) => `cannot start: there is no file ${showText(file)}`)
}

async function isThere(file: string): Promise<boolean> {
  return await stat(file).then(
    () => true,
    (error: NodeJS.ErrnoException) => error.code !== 'ENOENT' && error.code !== 'ENOTDIR',
  )
}
