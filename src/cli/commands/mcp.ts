/** `mcp …`: lists and shows servers, and moves them from and to other programs. */
import type { Command } from 'commander'
import { type Context, outputOf, withApi } from '../context.ts'
import { addExportCommand } from './mcp-export.ts'
import { addFeatureCommands } from './mcp-features.ts'
import { addMcpLifeCommands } from './mcp-life.ts'
import { addMigrateCommand, describeImport } from './mcp-migrate.ts'
import { addUpdatesCommand } from './mcp-updates.ts'
import { describeList, describeServer } from './mcp-view.ts'
import { addTrustCommands } from './mcp-trust.ts'
import { describeFlag } from './tool-view.ts'

/** Returns the `mcp` command, so that other files can add subcommands. */
export function addMcpCommands(program: Command, context: Context): Command {
  const mcp = program.command('mcp').description('the servers, and moving them in')
  addShowing(mcp, context)
  addMcpLifeCommands(mcp, context)
  addFeatureCommands(mcp, context)
  addUpdatesCommand(mcp, context)
  return mcp
}

export function addMovingCommands(mcp: Command, context: Context): void {
  addMoving(mcp, context)
  addTrustCommands(mcp, context)
}

function addShowing(mcp: Command, context: Context): void {
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

function addMoving(mcp: Command, context: Context): void {
  addMigrateCommand(mcp, context)
  addExportCommand(mcp, context)
  mcp
    .command('undo')
    .argument('[import]', 'the id that `migrate` printed; without it, the newest')
    .description('take an import back')
    .addHelpText('after', '\nExample:\n  $ cordon mcp undo')
    .action(async (importId: string | undefined, _options: object, command: Command) => {
      const input = importId === undefined ? {} : { importId }
      const report = await withApi(context, command, (api) => api.call('mcp.undo', input))
      outputOf(context, command).answer(report, () => describeImport(report))
    })
}
