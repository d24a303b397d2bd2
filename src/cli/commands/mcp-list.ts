/** `mcp list` and `mcp show`: the servers and how they are. */
import type { Command } from 'commander'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeList, describeServer } from './mcp-view.ts'
import { describeFlag } from './tool-view.ts'

export function addMcpListCommands(mcp: Command, context: Context): void {
  const { workingFolder } = context.surface
  mcp
    .command('list')
    .alias('status')
    .description('list the servers and how they are')
    .addHelpText('after', '\nExample:\n  $ cordon mcp list')
    .action(async (_options: object, command: Command) => {
      const list = await withApi(context, command, (api) => api.call('mcp.list', { workingFolder }))
      const output = outputOf(context, command)
      output.answer(list, () => describeList(list, output))
    })
  mcp
    .command('show')
    .argument('<server>')
    .description('show one server: where it runs, what it may reach, which secrets it borrows')
    .addHelpText('after', '\nExample:\n  $ cordon mcp show notion')
    .action(async (server: string, _options: object, command: Command) => {
      const details = await withApi(context, command, async (api) => {
        const shown = await api.call('mcp.show', { server, workingFolder })
        const { flags } = await api.call('tools.list', { server })
        return { ...shown, flags }
      })
      outputOf(context, command).answer(details, () => [
        ...describeServer(details),
        ...details.flags.map(describeFlag),
      ])
    })
}
