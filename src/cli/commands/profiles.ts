/** `profiles …`: the models that Cordon may ask. A key is typed hidden or piped in; it is never an argument and never printed. */
import type { Command } from 'commander'
import type { Api, Input, Output } from '../../api/contract.ts'
import { showProfiles } from '../../api/show-profiles.ts'
import { confirm, createAnswers } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { type Output as Shown, printableLine } from '../output.ts'
import { requireUnlocked } from './vault.ts'

type Profile = Output<'profiles.use'>

export function addProfileCommands(program: Command, context: Context): void {
  const profiles = program.command('profiles').description('the models that Cordon may ask')
  addList(profiles, context)
  addAdd(profiles, context)
  addEdit(profiles, context)
  addUse(profiles, context)
  addTest(profiles, context)
  addRefresh(profiles, context)
  addRemove(profiles, context)
}

function addList(profiles: Command, context: Context): void {
  profiles
    .command('list')
    .description('list them; [*] is the one that is asked')
    .addHelpText('after', '\nExample:\n  $ cordon profiles list')
    .action(async (_options: object, command: Command) => {
      const answer = await withApi(context, command, (api) => api.call('profiles.list', {}))
      outputOf(context, command).answer(answer, () => showProfiles(answer))
    })
}

interface AddOptions {
  readonly provider: Input<'profiles.add'>['provider']
  readonly url?: string
  readonly model?: string
  /** False for `--no-key`; absent if neither it nor `--key` was given. */
  readonly key?: boolean
  readonly acknowledgeCloudRisk?: boolean
}

const ADD_EXAMPLES = `
Example:
  $ cordon profiles add claude --provider anthropic --model claude-sonnet-4-5
  $ cordon profiles add home --provider ollama --model llama3.2
  $ cordon profiles add work --url https://api.example.com/v1 --model a-model < key.txt`

function addAdd(profiles: Command, context: Context): void {
  profiles
    .command('add')
    .argument('<name>', 'what you call it')
    .description('add a model; its key is asked for and goes to the vault')
    .addOption(
      profiles
        .createOption('--provider <provider>', 'whose format it speaks')
        .choices(['anthropic', 'openai', 'ollama'])
        .default('openai'),
    )
    .option('--url <address>', 'where it is, if not at the provider itself')
    .option('--model <model>', 'its name there')
    .option('--key', 'it needs a key, although it is on this machine')
    .option('--no-key', 'it needs none, although it is elsewhere')
    .option(
      '--acknowledge-cloud-risk',
      'let a model elsewhere read what is sensitive: your mail, files and messages',
    )
    .addHelpText('after', ADD_EXAMPLES)
    .action(async (name: string, options: AddOptions, command: Command) => {
      const output = outputOf(context, command)
      const added = await withApi(context, command, async (api) =>
        api.call('profiles.add', await readProfile(context, api, { name, options, output })),
      )
      output.answer(added, () => [
        `${added.name} is added${added.isActive ? ' and is the one that is asked' : ''}. ${mayRead(added)}`,
        `Try it: cordon profiles test ${added.name}`,
      ])
    })
}

async function readProfile(
  context: Context,
  api: Api,
  asked: { readonly name: string; readonly options: AddOptions; readonly output: Shown },
): Promise<Input<'profiles.add'>> {
  const { name, options, output } = asked
  const { provider, url, acknowledgeCloudRisk } = options
  using answers = createAnswers(context.surface.terminal, context.signal)
  const { signal } = context
  const model = options.model ?? (await answers.next(`Which model of ${provider}?`, false, signal))
  const needsKey = options.key ?? !isHere(options)
  if (needsKey) await requireUnlocked(context, api, output)
  const key = needsKey ? await answers.next(`Key of ${name}`, true, signal) : undefined
  return {
    name,
    provider,
    model,
    ...(url !== undefined && { url }),
    ...(key !== undefined && { key }),
    ...(acknowledgeCloudRisk === true && { mayReadSensitive: true }),
  }
}

/** Models on this machine seldom have a key, so none is asked for. */
function isHere({ provider, url }: AddOptions): boolean {
  const hosts = ['localhost', '127.0.0.1', '[::1]']
  if (url === undefined) return provider === 'ollama'
  return URL.canParse(url) && hosts.includes(new URL(url).hostname)
}

interface EditOptions {
  readonly model?: string
  readonly key?: boolean
  /** False for `--no-acknowledge-cloud-risk`. */
  readonly acknowledgeCloudRisk?: boolean
}

function addEdit(profiles: Command, context: Context): void {
  profiles
    .command('edit')
    .argument('<name>')
    .description(
      'change its model, its key or what it may read; another address is another profile',
    )
    .option('--model <model>', 'its name at the provider')
    .option('--key', 'ask for a new key, which goes to the vault')
    .option('--acknowledge-cloud-risk', 'let it read what is sensitive')
    .option('--no-acknowledge-cloud-risk', 'let it read what is internal or less')
    .addHelpText('after', '\nExample:\n  $ cordon profiles edit claude --key')
    .action(async (name: string, options: EditOptions, command: Command) => {
      const output = outputOf(context, command)
      const { model, acknowledgeCloudRisk: mayReadSensitive } = options
      const edited = await withApi(context, command, async (api) => {
        const key = options.key === true ? await newKey(context, api, name, output) : undefined
        return await api.call('profiles.edit', {
          name,
          ...(model !== undefined && { model }),
          ...(key !== undefined && { key }),
          ...(mayReadSensitive !== undefined && { mayReadSensitive }),
        })
      })
      output.answer(edited, () => [
        `${edited.name} (${printableLine(edited.model)}) is changed. ${mayRead(edited)}`,
      ])
    })
}

async function newKey(context: Context, api: Api, name: string, output: Shown): Promise<string> {
  using answers = createAnswers(context.surface.terminal, context.signal)
  await requireUnlocked(context, api, output)
  return await answers.next(`New key of ${name}`, true, context.signal)
}

function addUse(profiles: Command, context: Context): void {
  profiles
    .command('use')
    .argument('<name>')
    .option('--model <model>', 'also change its model')
    .description('make it the one that is asked')
    .addHelpText('after', '\nExample:\n  $ cordon profiles use home --model llama3.2')
    .action(async (name: string, { model }: { readonly model?: string }, command: Command) => {
      const used = await withApi(context, command, (api) =>
        api.call('profiles.use', { name, ...(model !== undefined && { model }) }),
      )
      outputOf(context, command).answer(used, () => [
        `${used.name} (${printableLine(used.model)}) is the one that is asked. ${mayRead(used)}`,
      ])
    })
}

function addTest(profiles: Command, context: Context): void {
  profiles
    .command('test')
    .argument('[name]', 'by default the active one')
    .description('ask it one tiny question, and say what that cost and how long it took')
    .addHelpText('after', '\nExample:\n  $ cordon profiles test claude')
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const output = outputOf(context, command)
      output.note(`Asking ${name ?? 'the active model'} …`)
      const answer = await withApi(context, command, (api) =>
        api.call('profiles.test', { ...(name !== undefined && { name }) }, context.signal),
      )
      output.answer(answer, () => [
        `${answer.profile} (${printableLine(answer.model)}) answered ${JSON.stringify(printableLine(answer.text).slice(0, 100))}`,
        `after ${answer.ms} ms: ${answer.inputTokens} tokens in, ${answer.outputTokens} out, ${money(answer.cost)}.`,
      ])
    })
}

function addRefresh(profiles: Command, context: Context): void {
  profiles
    .command('refresh')
    .argument('[name]', 'by default each profile')
    .description('Refresh Models: fetch the list of models that a provider offers')
    .addHelpText('after', '\nExample:\n  $ cordon profiles refresh claude')
    .action(async (name: string | undefined, _options: object, command: Command) => {
      const output = outputOf(context, command)
      output.note('Fetching the list of models …')
      const answer = await withApi(context, command, (api) =>
        api.call('profiles.refresh', { ...(name !== undefined && { name }) }, context.signal),
      )
      for (const { problem, at } of answer.offered) {
        const since = at === undefined ? '' : `; this is the list of ${at}`
        if (problem !== undefined) output.note(`cordon: warning: ${problem}${since}`)
      }
      output.answer(answer, () =>
        answer.offered.flatMap(({ profile, models }) => [
          `${profile}: ${models.length} models`,
          ...models.map((model) => `  ${printableLine(model)}`),
        ]),
      )
    })
}

function addRemove(profiles: Command, context: Context): void {
  profiles
    .command('remove')
    .argument('<name>')
    .option('-y, --yes', 'do not ask')
    .description('remove a profile and its key')
    .addHelpText('after', '\nExample:\n  $ cordon profiles remove work')
    .action(async (name: string, { yes }: { readonly yes?: boolean }, command: Command) => {
      const question = `Remove the model profile ${printableLine(name)}? Its key is forgotten too.`
      await confirm(context, question, yes === true)
      const removed = await withApi(context, command, (api) =>
        api.call('profiles.remove', { name }),
      )
      const key = removed.forgot === undefined ? '' : ` Forgot ${removed.forgot}.`
      outputOf(context, command).answer(removed, () => [`${printableLine(name)} is removed.${key}`])
    })
}

function mayRead({ clearance, isLocal }: Profile): string {
  return isLocal
    ? 'It runs on this machine and may read everything but secrets.'
    : `It may read what is ${clearance} or less.`
}

function money(cost: number | undefined): string {
  if (cost === undefined) return 'price not known'
  return `$${cost === 0 ? '0' : cost.toFixed(cost < 0.01 ? 6 : 2)}`
}
