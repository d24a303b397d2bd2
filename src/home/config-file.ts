/**
 * `config.toml`: the owner's settings for Cordon as a whole. Looked at before each use, and read again when it changed, so
 * an edit counts at once. Interprets nothing.
 */
import { statSync } from 'node:fs'
import { parse, TomlError } from 'smol-toml'
import { CordonError } from '../kernel/error.ts'
import type { Files } from '../kernel/ports.ts'
import { createSerialQueue } from '../text/serial-queue.ts'

type Table = Readonly<Record<string, unknown>>

export interface ConfigFile {
  /** The table of this name; undefined without such a table or without the file. */
  table(name: string): Promise<unknown>
}

/** Makes a text say `intended`, and keeps the comments and the layout of what it says already. */
type EditToml = (text: string, intended: Table) => string

/** Replaces one table of the file, one change after the other. A file that cannot be read is left as it is. */
export function createConfigEditor(
  files: Pick<Files, 'read' | 'write'>,
  path: string,
  edit: EditToml,
): (name: string, change: (table: Table) => Table) => Promise<void> {
  const inTurn = createSerialQueue()
  return (name, change) =>
    inTurn(async () => {
      const text = (await files.read(path))?.toString() ?? ''
      const tables = readToml(text, path)
      const before = Object.hasOwn(tables, name) ? tables[name] : {}
      const isTable = typeof before === 'object' && before !== null && !Array.isArray(before)
      if (!isTable) throw badSettings(path, `Make [${name}] a table`, undefined)
      await files.write(path, edit(text, { ...tables, [name]: change(before as Table) }))
    })
}

export function createConfigFile(files: Pick<Files, 'read'>, path: string): ConfigFile {
  let last: { readonly stamp: string; readonly tables: Table } | undefined
  const read = async (): Promise<Table> => {
    const bytes = await files.read(path).catch((error: unknown) => {
      const hint = 'Make it a plain file that you may read, or remove it'
      throw badSettings(path, hint, error)
    })
    return bytes ? readToml(bytes.toString(), path) : {}
  }
  return {
    async table(name) {
      const stamp = stampOf(path) // before the reading: a change in between is seen the next time
      const tables = stamp !== undefined && stamp === last?.stamp ? last.tables : await read()
      last = stamp === undefined ? undefined : { stamp, tables }
      return Object.hasOwn(tables, name) ? tables[name] : undefined
    },
  }
}

/** Another text after every edit. Synchronous: a look into the cache of the file system takes microseconds. */
function stampOf(path: string): string | undefined {
  try {
    const found = statSync(path, { throwIfNoEntry: false })
    return found && `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}`
  } catch {
    return undefined
  }
}

/** The error never quotes the file: a secret may have been put there by mistake. */
function readToml(text: string, path: string): Table {
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
