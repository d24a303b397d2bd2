/** The owner's templates, from `[templates.<name>]` of his `config.toml`. What is not understood is no template. */
import { CordonError } from './kernel/error.ts'
import type { Template } from './kernel/tool-call.ts'
import { parseTemplate } from './policy/templates.ts'

/** As it is written now, and never as it was: what its owner tightened counts at once. Throws where it is not understood. */
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
