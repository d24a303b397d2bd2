/** `grants …`: lists and revokes the owner's grants. */
import type { Command } from 'commander'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeGrants } from './approval-view.ts'

export function addGrantCommands(program: Command, context: Context): void {
  const grants = program.command('grants').description('what you allowed beyond one call')
  grants
    .command('list')
    .description('list the standing permissions')
    .addHelpText('after', '\nExample:\n  $ cordon grants list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('grants.list', {}))
      outputOf(context, command).answer(answer, () => describeGrants(answer.grants))
    })
  grants
    .command('revoke')
    .argument('<id>')
    .description('take one back')
    .addHelpText('after', '\nExample:\n  $ cordon grants revoke 7c21e0f4aa')
    .action(async (id: string, _options: object, command: Command) => {
      await withApi(context, command, (api) => api.call('grants.revoke', { id }))
      outputOf(context, command).answer({ id }, () => [`${id} allows nothing any more.`])
    })
}
