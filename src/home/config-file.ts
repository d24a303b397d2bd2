/**
 * `config.toml`: the owner's settings for Cordon as a whole. Read at each use, so an edit counts at once. Interprets
 * nothing.
 */
import { parse, TomlError } from 'smol-toml'
import { CordonError } from '../kernel/error.ts'
import type { Files } from '../kernel/ports.ts'

export interface ConfigFile {
  /** The table of this name; undefined without such a table or without the file. */
  table(name: string): Promise<unknown>
}

export function createConfigFile(files: Pick<Files, 'read'>, path: string): ConfigFile {
  return {
    async table(name) {
      const bytes = await files.read(path).catch((error: unknown) => {
        const hint = 'Make it a plain file that you may read, or remove it'
        throw badSettings(path, hint, error)
      })
      const tables = bytes ? readToml(bytes.toString(), path) : {}
      return Object.hasOwn(tables, name) ? tables[name] : undefined
    },
  }
}

/** The error never quotes the file: a secret may have been put there by mistake. */
function readToml(text: string, path: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text)
  } catch (error) {
    throw badSettings(path, 'Correct the file; it is TOML, with texts in double quotes', error)
  }
}

function badSettings(path: string, hint: string, error: unknown): CordonError {
  const place = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : ''
  const message = `Cannot read the settings in ${JSON.stringify(path)}${place}`
  return new CordonError('home.config', { exit: 2, hint }, message)
}
