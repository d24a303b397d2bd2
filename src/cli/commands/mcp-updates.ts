/** `mcp updates`: asks the registry of npm, or the Python index, whether servers have newer versions, or use one that was withdrawn. */
import type { Command } from 'commander'
import { showUpdates } from '../../api/show-updates.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'

export function addUpdatesCommand(mcp: Command, context: Context): void {
  mcp
    .command('updates')
    .argument('[server]', 'only this one')
    .description('ask the registry for newer versions, and for versions that were withdrawn')
    .addHelpText(
      'after',
      '\nNothing is looked up unless you ask, and nothing is updated: what it finds is told here and in\n`cordon notices`, with the command that takes it.\n\nExample:\n  $ cordon mcp updates',
    )
    .action(async (server: string | undefined, _options: object, command: Command) => {
      const output = outputOf(context, command)
      if (!output.json) output.note('Asking the registry about each package …')
      const answer = await withApi(context, command, (api) =>
        api.call('mcp.updates', server === undefined ? {} : { server }, context.signal),
      )
      output.answer(answer, () => showUpdates(answer.servers).map(printableLine))
    })
}
