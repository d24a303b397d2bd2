/** `channels …`: the ways to talk to Cordon beside terminal and page. A bot's token is typed hidden or piped in. */
import { Argument, type Command } from 'commander'
import type { ChannelView } from '../../api/channels.ts'
import type { Output } from '../../api/contract.ts'
import { askSecret, confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { columns, printableLine } from '../output.ts'

type Channel = ChannelView['channel']

export function addChannelCommands(program: Command, context: Context): void {
  const channels = program
    .command('channels')
    .description('talk to Cordon from elsewhere: Telegram, on your phone')
  channels
    .command('list')
    .description('show each channel, how it is, and who is paired')
    .addHelpText('after', '\nExample:\n  $ cordon channels list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('channels.list', {}))
      outputOf(context, command).answer(answer, () => answer.channels.flatMap(describe))
    })
  addAdd(channels, context)
  addPair(channels, context)
  addUnpair(channels, context)
  addRemove(channels, context)
  addTest(channels, context)
}

function channelArgument(): Argument {
  const names: readonly Channel[] = ['telegram']
  return new Argument('<channel>').choices(names)
}

function addAdd(channels: Command, context: Context): void {
  channels
    .command('add')
    .addArgument(channelArgument())
    .description('add a bot: its token is asked for, tried, and kept in the vault')
    .addHelpText(
      'after',
      '\nMake the bot first: write /newbot to @BotFather in Telegram, which answers with the token.\n\nExample:\n  $ cordon channels add telegram',
    )
    .action(async (channel: Channel, _options: object, command: Command) => {
      const { surface, signal } = context
      const token = await askSecret(surface.terminal, 'Token of the bot, from @BotFather', signal)
      const added = await withApi(context, command, (api) =>
        api.call('channels.add', { channel, token }),
      )
      outputOf(context, command).answer(added, () => [
        `${added.bot} is ${added.replaced ? 'replaced' : 'added'}. Nobody is answered before they are paired.`,
        `Let your own account in: cordon channels pair ${channel}`,
      ])
    })
}

function addPair(channels: Command, context: Context): void {
  const pair = channels
    .command('pair')
    .addArgument(channelArgument())
    .description('make a one-time code that lets one account in')
  pair
    .addOption(
      pair
        .createOption('--as <role>', 'your own account, or somebody else who may only talk')
        .choices(['owner', 'paired']),
    )
    .addHelpText('after', '\nExample:\n  $ cordon channels pair telegram')
    .action(
      async (channel: Channel, options: { readonly as?: 'owner' | 'paired' }, command: Command) => {
        const input = { channel, ...(options.as !== undefined && { role: options.as }) }
        const made = await withApi(context, command, (api) => api.call('channels.pair', input))
        outputOf(context, command).answer(made, () => describeCode(made))
      },
    )
}

function describeCode({ code, role, bot, expiresAt }: Output<'channels.pair'>): readonly string[] {
  const whom =
    role === 'owner'
      ? 'This lets your own account in: what it writes counts as your words, and it may approve.'
      : 'This lets somebody else in: they may talk to Cordon, and neither approve nor connect.'
  const until = new Date(expiresAt).toLocaleTimeString()
  return [
    whom,
    `Send this to ${bot} in a private chat, before ${until}:`,
    '',
    `  ${code}`,
    '',
    'It works once. After five wrong guesses it is void.',
  ]
}

function addUnpair(channels: Command, context: Context): void {
  channels
    .command('unpair')
    .addArgument(channelArgument())
    .argument('<id>', 'the account, as `channels list` shows it')
    .option('--yes', 'do not ask')
    .description('do not answer this account any more')
    .addHelpText('after', '\nExample:\n  $ cordon channels unpair telegram 123456789')
    .action(
      async (
        channel: Channel,
        person: string,
        { yes }: { readonly yes?: boolean },
        command: Command,
      ) => {
        await confirm(context, `Stop answering the account ${printableLine(person)}?`, yes === true)
        const gone = await withApi(context, command, (api) =>
          api.call('channels.unpair', { channel, person }),
        )
        outputOf(context, command).answer(gone, () => [
          `${printableLine(gone.name)} is a stranger to Cordon now.`,
        ])
      },
    )
}

function addRemove(channels: Command, context: Context): void {
  channels
    .command('remove')
    .addArgument(channelArgument())
    .option('--yes', 'do not ask')
    .description('forget the bot, its token and everybody who is paired')
    .addHelpText('after', '\nExample:\n  $ cordon channels remove telegram')
    .action(async (channel: Channel, { yes }: { readonly yes?: boolean }, command: Command) => {
      const question = `Forget the ${channel} bot, its token, and everybody who is paired?`
      await confirm(context, question, yes === true)
      await withApi(context, command, (api) => api.call('channels.remove', { channel }))
      outputOf(context, command).answer({ channel }, () => [
        `${channel} is removed. The bot itself is deleted at @BotFather.`,
      ])
    })
}

function addTest(channels: Command, context: Context): void {
  channels
    .command('test')
    .addArgument(channelArgument())
    .description('ask the bot who it is, and send a line to your account')
    .addHelpText('after', '\nExample:\n  $ cordon channels test telegram')
    .action(async (channel: Channel, _options: object, command: Command) => {
      const done = await withApi(context, command, (api) => api.call('channels.test', { channel }))
      outputOf(context, command).answer(done, () => [
        `${done.bot} works: a line was sent to ${printableLine(done.sentTo)}.`,
      ])
    })
}

function describe({ channel, state, bot, reason, hint, people }: ChannelView): readonly string[] {
  if (bot === undefined) return [`${channel}: not added. Add it: cordon channels add ${channel}`]
  const why = reason === undefined ? '' : `: ${reason}. ${hint ?? ''}`
  const rows = people.map(({ id, name, role, pairedAt }) => [
    `  ${id}`,
    printableLine(name),
    role === 'owner' ? 'you' : 'paired',
    pairedAt.slice(0, 10),
  ])
  const nobody = [`  Nobody is paired. Let your own account in: cordon channels pair ${channel}`]
  return [`${channel}: ${state}, ${bot}${why}`, ...(rows.length > 0 ? columns(rows) : nobody)]
}
