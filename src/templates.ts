/** The owner's templates, from `[templates.<name>]` of his `config.toml`. What is not understood is no template. */
import { CordonError } from './kernel/error.ts'
import type { Log } from './kernel/ports.ts'
import type { Template } from './kernel/tool-call.ts'
import { parseTemplate } from './policy/templates.ts'

export interface Templates {
  /** Reads them all anew. What cannot be read is in the log, and is not there. */
  load(): Promise<void>
  /** As they were last read. */
  find(name: string): Template | undefined
  /** As it is now; throws where it is not understood. */
  read(name: string): Promise<Template | undefined>
}

export function createTemplates(table: () => Promise<unknown>, log: Log): Templates {
  const known = new Map<string, Template>()
  const read = async (name: string): Promise<Template | undefined> => {
    const written = await readTable(table)
    known.delete(name)
    if (!Object.hasOwn(written, name)) return undefined
    const template = parseTemplate(name, written[name])
    known.set(name, template)
    return template
  }
  return {
    read,
    find: (name) => known.get(name),
    async load() {
      try {
        for (const name of Object.keys(await readTable(table))) await read(name)
      } catch (error) {
        log.warn('The templates cannot be read', { error })
      }
    },
  }
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
