/** The owner's templates, from `[templates.<name>]` of `config.toml`. A table that does not parse is no template. */
import { CordonError } from '../kernel/error.ts'
import type { Template } from '../kernel/tool-call.ts'
import { parseTemplate } from './templates.ts'

/** Reads the file at every call, so a template that its owner tightened holds at once. Throws where it does not parse. */
export async function readTemplate(
  table: () => Promise<unknown>,
  name: string,
): Promise<Template | undefined> {
  const written = await readTable(table)
  return Object.hasOwn(written, name) ? parseTemplate(name, written[name]) : undefined
}

async function readTable(
  table: () => Promise<unknown>,
): Promise<Readonly<Record<string, unknown>>> {
  const written = (await table()) ?? {}
  if (typeof written === 'object' && !Array.isArray(written)) {
    return written as Readonly<Record<string, unknown>>
  }
  throw new CordonError(
    'main.templates',
    { exit: 2, hint: 'Write each one as a table of its own, such as [templates.nightly]' },
    'Cannot read "templates" in config.toml',
  )
}
