/** `contacts …`: the people whom the owner knows. A message in the owner's own words may go to them without a question. */
import { constants } from 'node:fs'
import type { Command } from 'commander'
import type { Output } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'

export function addContactCommands(program: Command, context: Context): void {
  const contacts = program.command('contacts').description('the people you know, for the policy')
  contacts
    .command('list')
    .description('list them with their addresses')
    .addHelpText('after', '\nExample:\n  $ cordon contacts list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('contacts.list', {}))
      outputOf(context, command).answer(answer, () => describe(answer))
    })
  contacts
    .command('add')
    .argument('<name>')
    .argument('<address...>', 'mail addresses, telephone numbers or accounts')
    .description('add a person, or addresses to one')
    .addHelpText('after', '\nExample:\n  $ cordon contacts add "Ada Lovelace" ada@example.com')
    .action(async (name: string, addresses: string[], _options: object, command: Command) => {
      const added = await withApi(context, command, (api) =>
        api.call('contacts.add', { name, addresses }),
      )
      outputOf(context, command).answer(added, () => [
        `${printableLine(added.name)} has ${added.addresses.length} addresses.`,
      ])
    })
  addImport(contacts, context)
  addRemove(contacts, context)
}

function addImport(contacts: Command, context: Context): void {
  contacts
    .command('import')
    .argument('<file>', 'a vCard file (.vcf)')
    .description('add the people of an address book')
    .addHelpText('after', '\nExample:\n  $ cordon contacts import contacts.vcf')
    .action(async (file: string, _options: object, command: Command) => {
      const text = await readCardFile(file)
      const answer = await withApi(context, command, (api) => api.call('contacts.import', { text }))
      outputOf(context, command).answer(answer, () => [
        `${answer.added.length} people added or completed.`,
        ...answer.skipped.map(
          ({ name, why }) => `Left out: ${printableLine(name || 'a card')}: ${printableLine(why)}`,
        ),
      ])
    })
}

function addRemove(contacts: Command, context: Context): void {
  contacts
    .command('remove')
    .argument('<name>')
    .argument('[address]', 'only this address')
    .option('--yes', 'do not ask')
    .description('remove a person, or one address')
    .addHelpText('after', '\nExample:\n  $ cordon contacts remove "Ada Lovelace" ada@example.com')
    .action(
      async (
        name: string,
        address: string | undefined,
        { yes }: { readonly yes?: boolean },
        command: Command,
      ) => {
        const what = address === undefined ? name : `${address} of ${name}`
        await confirm(context, `Remove ${printableLine(what)}?`, yes === true)
        await withApi(context, command, (api) =>
          api.call('contacts.remove', { name, ...(address !== undefined && { address }) }),
        )
        outputOf(context, command).answer({ name }, () => [`${printableLine(what)} is removed.`])
      },
    )
}

function describe({ contacts }: Output<'contacts.list'>): readonly string[] {
  if (contacts.length === 0)
    return ['You have no contacts. Add one: cordon contacts add NAME ADDRESS']
  return columns(contacts.map(({ name, addresses }) => [name, ...addresses].map(printableLine)))
}

const MOST_BYTES = 5_000_000

async function readCardFile(file: string): Promise<string> {
  const { open } = await import('node:fs/promises') // takes longer to load than a short command
  try {
    // Non-blocking: opening a pipe without a writer would block for ever.
    await using handle = await open(file, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await handle.stat()
    if (found.isFile() && found.size <= MOST_BYTES) return await handle.readFile('utf8')
  } catch (cause) {
    throw notReadable(file, cause)
  }
  throw notReadable(file)
}

function notReadable(file: string, cause?: unknown): CordonError {
  return new CordonError(
    'cli.card-file',
    { exit: 2, hint: 'Give a vCard file of at most 5 MB, as address books export it' },
    `Cannot read contacts from ${JSON.stringify(file)}`,
    cause,
  )
}
