/** The options of `client add` and `client edit`, read into the settings of a client. */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import type {
  ClientChange,
  ClientSettings,
  GatewayClient,
  SearchMode,
  Taint,
} from '../../ports/client-port.ts'
import { wholeNumber } from './whole-number.ts'

export interface ClientOptions {
  readonly tainted?: string
  readonly kind?: string
  readonly context?: readonly string[]
  readonly allContexts?: boolean
  readonly search?: string
  readonly budget?: string
}

export interface EditOptions extends ClientOptions {
  readonly callsPerMinute?: string
  readonly megabytesPerDay?: string
}

export function addClientOptions(command: Command): Command {
  return command
    .option('--tainted <what>', 'calls that others may have steered: ask, deny or warn')
    .option('--kind <program>', 'the program it is, such as cursor; its limits hold then')
    .option('--context <name...>', 'limit it to these contexts')
    .option('--all-contexts', 'let it use every server')
    .option('--search <when>', 'search for tools instead of listing them: auto, on or off')
    .option('--budget <tokens>', 'search above so many estimated tokens of tools')
}

export function readClientOptions(options: ClientOptions): ClientSettings {
  const { tainted, kind, context, allContexts, search, budget } = options
  return {
    ...(tainted !== undefined && { taint: readTaint(tainted) }),
    ...(kind !== undefined && { kind }),
    ...(context !== undefined && { contexts: context }),
    ...(allContexts === true && { contexts: [] }),
    ...(search !== undefined && { search: readSearch(search) }),
    ...(budget !== undefined && { listTokens: wholeNumber(budget) }),
  }
}

export function readClientChange(options: EditOptions): ClientChange {
  const calls = limitFrom(options.callsPerMinute)
  const megabytes = limitFrom(options.megabytesPerDay)
  const change: ClientChange = {
    ...readClientOptions(options),
    ...(calls !== undefined && { callsPerMinute: calls }),
    ...(megabytes !== undefined && { bytesPerDay: megabytes && megabytes * MEGABYTE }),
  }
  if (Object.keys(change).length > 0) return change
  throw new CordonError(
    'cli.no-setting',
    { exit: 2, hint: 'Add --tainted, --context, --search, --calls-per-minute or another option' },
    'Cannot change a client: no setting is named',
  )
}

const MEGABYTE = 1_000_000

/** Null takes the limit away. */
function limitFrom(word: string | undefined): number | null | undefined {
  if (word === undefined) return undefined
  return word === 'none' ? null : wholeNumber(word)
}

function readTaint(word: string): Taint {
  if (word === 'ask' || word === 'deny' || word === 'warn') return word
  throw new CordonError(
    'cli.taint',
    { exit: 2, hint: 'Use ask, deny or warn' },
    `Cannot treat tainted calls as ${JSON.stringify(word)}`,
  )
}

function readSearch(word: string): SearchMode {
  if (word === 'auto' || word === 'on' || word === 'off') return word
  throw new CordonError(
    'cli.search-mode',
    { exit: 2, hint: 'Use auto, on or off' },
    `Cannot set the search to ${JSON.stringify(word)}`,
  )
}

const TAINTED: Readonly<Record<Taint, string>> = {
  ask: 'you are asked about calls that others may have steered',
  deny: 'calls that others may have steered are refused',
  warn: 'calls that others may have steered go through',
}

/** One client as columns of a table. */
export function describeClient(client: GatewayClient): readonly string[] {
  const { name, taint, lastUsedAt } = client
  const used =
    lastUsedAt === undefined ? 'never used' : `used ${new Date(lastUsedAt).toLocaleString()}`
  const limits = [...describeScope(client), ...describeBudget(client)]
  return [name, used, limits.join('; '), TAINTED[taint]]
}

function describeScope({
  kind,
  contexts = [],
  search = 'auto',
  listTokens,
}: GatewayClient): readonly string[] {
  return [
    ...(kind === undefined ? [] : [kind]),
    contexts.length === 0 ? 'every server' : `only ${contexts.join(', ')}`,
    ...(search === 'auto' ? [] : [`search ${search}`]),
    ...(listTokens === undefined ? [] : [`at most ${listTokens} tokens of tools`]),
  ]
}

function describeBudget({ limits = {} }: GatewayClient): readonly string[] {
  const { callsPerMinute, bytesPerDay } = limits
  return [
    ...(callsPerMinute === undefined ? [] : [`${callsPerMinute} calls a minute`]),
    ...(bytesPerDay === undefined ? [] : [`${bytesPerDay / MEGABYTE} MB a day`]),
  ]
}
