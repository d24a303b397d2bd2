/** `mcp export` and `registry export`: servers and nodes as other programs spell them. Never holds a secret. */
import path from 'node:path'
import { type Command, Option } from 'commander'
import type { ExportFormat } from '../../api/exports.ts'
import type { Json } from '../../text/json.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import { writeNew } from '../write-new.ts'

const FORMATS: readonly ExportFormat[] = ['claude', 'pflow', 'personal-agent']

interface ExportOptions {
  readonly as: ExportFormat
  readonly out?: string
}

export function addExportCommand(mcp: Command, context: Context): void {
  const format = new Option('--as <program>', 'whose form: Claude and Cursor, pflow, PersonalAgent')
  mcp
    .command('export')
    .argument('[server...]', 'only these; without a name, all')
    .description('write servers down for another program; secrets stay here, by name')
    .addOption(format.choices(FORMATS).default('claude'))
    .option('--out <file>', 'into a new file')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon mcp export --as claude --out mcp.json\n  $ cordon mcp export github --as pflow',
    )
    .action(async (names: string[], { as, out }: ExportOptions, command: Command) => {
      const servers = names.length > 0 ? { servers: names } : {}
      const { document, notes } = await withApi(context, command, (api) =>
        api.call('mcp.export', { format: as, ...servers }),
      )
      const output = outputOf(context, command)
      for (const note of notes) output.note(printableLine(note))
      await put(context, command, { document, ...(out !== undefined && { out }) })
    })
}

/** Every tool as an entry of pflow's registry. */
export async function exportEntries(
  context: Context,
  command: Command,
  place: { readonly filter?: string; readonly out?: string },
): Promise<void> {
  const { filter, out } = place
  const { entries } = await withApi(context, command, (api) =>
    api.call('registry.entries', filter === undefined ? {} : { filter }),
  )
  await put(context, command, { document: [...entries], ...(out !== undefined && { out }) })
}

/** The document itself is the answer, with and without `--json`: it is JSON already. */
async function put(
  context: Context,
  command: Command,
  { document, out }: { readonly document: Json; readonly out?: string },
): Promise<void> {
  const output = outputOf(context, command)
  const text = JSON.stringify(document, undefined, 2)
  if (out === undefined) return output.answer(document, () => text.split('\n'))
  const file = path.resolve(context.surface.workingFolder, out)
  await writeNew(file, `${text}\n`)
  output.answer({ file }, () => [`Written to ${printableLine(file)}`])
}
