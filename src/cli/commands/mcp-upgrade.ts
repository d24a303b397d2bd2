/** `mcp upgrade`: shows what a newer version of a server's package would change, takes it after a yes, or goes back. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { showPlan } from '../../api/show-upgrade.ts'
import { showUpdates } from '../../api/show-updates.ts'
import { CordonError } from '../../kernel/error.ts'
import type { TakenUpgrade, UpgradePlan } from '../../ports/upgrade-port.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'
import { describeChange } from './accept-tools.ts'

interface UpgradeOptions {
  readonly check?: boolean
  readonly undo?: boolean
  readonly yes?: boolean
}

const HELP = `
The new version is fetched beside the one in use and compared with it: files, packages, hosts that its code names,
install scripts, size, publisher, and its tools, which it lists in a trial run without network and credentials. It is
taken after your yes, and with it the tools as they were shown; \`--undo\` goes one step back. Where you allowed install
scripts of this package, those that are shown run after that yes, without network, and none before it.

Example:
  $ cordon mcp upgrade github
  $ cordon mcp upgrade github --check
  $ cordon mcp upgrade github --undo
  $ cordon mcp upgrade --check`

export function addUpgradeCommand(mcp: Command, context: Context): void {
  mcp
    .command('upgrade')
    .argument('[server]', 'without a name, only with `--check`: what all of them would change to')
    .description('take a newer version of a package, after a look at what changes')
    .option('--check', 'only show what would change')
    .option('--undo', 'go back to the version before the last upgrade')
    .option('-y, --yes', 'do not ask')
    .addHelpText('after', HELP)
    .action(async (server: string | undefined, options: UpgradeOptions, command: Command) => {
      if (server === undefined) return await checkAll(context, command, options)
      const wanted = { context, command, server, options }
      await (options.undo ? goBack(wanted) : upgrade(wanted))
    })
}

interface Wanted {
  readonly context: Context
  readonly command: Command
  readonly server: string
  readonly options: UpgradeOptions
}

async function checkAll(
  context: Context,
  command: Command,
  options: UpgradeOptions,
): Promise<void> {
  if (!options.check) {
    throw new CordonError(
      'cli.arguments',
      {
        exit: 2,
        hint: 'Name one, or run `cordon mcp upgrade --check` to see what all would change to',
      },
      'Cannot upgrade every server at once: each has differences of its own to look at',
    )
  }
  const output = outputOf(context, command)
  if (!output.json) output.note('Asking the registry about each package …')
  const answer = await withApi(context, command, (api) =>
    api.call('mcp.updates', {}, context.signal),
  )
  output.answer(answer, () => showUpdates(answer.servers).map(printableLine))
}

async function upgrade({ context, command, server, options }: Wanted): Promise<void> {
  const output = outputOf(context, command)
  await withApi(context, command, async (api) => {
    const look = api.call('upgrades.plan', { server }, context.signal)
    const { plan, before } = await telling(api, { context, command, server, options }, look)
    if (!plan) return output.answer({ plan }, () => [`${server} uses the newest version.`])
    if (options.check) return output.answer({ plan, before }, () => describePlan(plan))
    for (const line of describePlan(plan)) output.note(line)
    await confirm(context, `Take ${plan.package} ${plan.after.version}?`, options.yes === true)
    const seen = {
      version: plan.after.version,
      manifest: plan.manifest,
      tools: Object.fromEntries((plan.tools ?? []).map(({ name, hash }) => [name, hash])),
      ...(plan.willRun.length > 0 && { allowScripts: true }),
    }
    const taking = api.call('upgrades.take', { server, ...seen }, context.signal)
    const taken = await telling(api, { context, command, server, options }, taking)
    output.answer(taken, () => describeTaken(taken))
  })
}

async function goBack({ context, command, server, options }: Wanted): Promise<void> {
  const output = outputOf(context, command)
  await withApi(context, command, async (api) => {
    const { before } = await api.call('upgrades.state', { server })
    if (before !== null) {
      await confirm(context, `Go back to ${before}?`, options.yes === true)
    }
    const taken = await api.call('upgrades.undo', { server }, context.signal)
    output.answer(taken, () => [
      `${server} is back at ${printableLine(taken.to)}, from ${printableLine(taken.from)}.`,
      ...describeWaiting(taken),
    ])
  })
}

const LOOK_MS = 300

/** Notes each step of work that takes a while. */
async function telling<T>(
  api: Api<'upgrades.state'>,
  { context, command, server }: Wanted,
  work: Promise<T>,
): Promise<T> {
  const output = outputOf(context, command)
  const end = new AbortController()
  const watch = async (): Promise<void> => {
    for (let last = ''; !end.signal.aborted; ) {
      await pause(LOOK_MS, undefined, { signal: end.signal })
      const { step } = await api.call('upgrades.state', { server }, end.signal)
      const words = step?.replace(/ \d.*$/, '') ?? ''
      if (words !== '' && words !== last) output.note(`${words} …`)
      last = words
    }
  }
  if (!output.json) void watch().catch(() => undefined) // ends with the work, or with the connection to the kernel
  return await work.finally(() => end.abort())
}

function describePlan(plan: UpgradePlan): readonly string[] {
  const changes = (plan.tools ?? []).flatMap(describeChange)
  return [...showPlan(plan, Date.now()).map(printableLine), ...changes]
}

function describeTaken(taken: TakenUpgrade): readonly string[] {
  const { server, from, to } = taken
  return [
    `${server} is now at ${printableLine(to)}. \`cordon mcp upgrade ${server} --undo\` goes back to ${printableLine(from)}.`,
    ...describeWaiting(taken),
  ]
}

function describeWaiting({ server, waiting }: TakenUpgrade): readonly string[] {
  if (waiting.length === 0) return []
  const names = waiting.map(printableLine).join(', ')
  return [
    `Its tools differ from those you accepted: ${names}. Look at them with \`cordon mcp accept ${server}\`.`,
  ]
}
