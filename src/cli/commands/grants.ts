/** `grants …`: lists and revokes the owner's grants. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
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
      const hint = answer.grants.some(({ isUnused }) => isUnused) ? [UNUSED] : []
      outputOf(context, command).answer(answer, () => [...describeGrants(answer.grants), ...hint])
    })
  grants
    .command('revoke')
    .argument('[id]')
    .option('--unused', 'every one that was not used for 60 days')
    .description('take one back')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon grants revoke 7c21e0f4aa\n  $ cordon grants revoke --unused',
    )
    .action(
      async (id: string | undefined, options: { readonly unused?: boolean }, command: Command) => {
        const revoked = await withApi(context, command, (api) =>
          options.unused === true ? revokeUnused(api) : revokeOne(api, id),
        )
        const lines = revoked.map((one) => `${one} allows nothing any more.`)
        outputOf(context, command).answer({ revoked }, () =>
          lines.length > 0 ? lines : ['Every standing permission was used within 60 days.'],
        )
      },
    )
}

const UNUSED = 'Some were not used for 60 days; `cordon grants revoke --unused` takes them back.'

async function revokeOne(api: Api, id: string | undefined): Promise<readonly string[]> {
  if (id === undefined) {
    throw new CordonError(
      'cli.which-grant',
      { exit: 2, hint: 'Give an id from `cordon grants list`, or `--unused`' },
      'Cannot tell which permission to take back',
    )
  }
  await api.call('grants.revoke', { id })
  return [id]
}

async function revokeUnused(api: Api): Promise<readonly string[]> {
  const { grants } = await api.call('grants.list', {})
  const unused = grants.filter(({ isUnused }) => isUnused).map(({ id }) => id)
  for (const id of unused) await api.call('grants.revoke', { id })
  return unused
}
