/**
 * `mcp accept`: shows every line of a server's tools that changed, and accepts exactly these changes. Each is named by
 * the hash of the whole definition, so a server that swaps it in the meantime gains nothing.
 */
import type { Command } from 'commander'
import { CordonError } from '../../kernel/error.ts'
import type { ToolChange } from '../../text/tool-change.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { changedLines, diffLines } from '../diff-lines.ts'
import { printableLine } from '../output.ts'
import { showDefinition } from '../../text/show-definition.ts'
import { describeTools } from './mcp-view.ts'

interface AcceptOptions {
  readonly hash?: readonly string[]
}

export function addAcceptCommand(mcp: Command, context: Context): void {
  mcp
    .command('accept')
    .argument('<server>')
    .argument('[tools...]', 'without a name, all of them')
    .description('look at tools that changed, are new or are gone, and accept them')
    .option('--hash <hashes...>', 'accept what has these hashes, without asking')
    .addHelpText('after', '\nExample:\n  $ cordon mcp accept notion search')
    .action(async (server: string, names: string[], options: AcceptOptions, command: Command) => {
      await accept({ context, command, server, names }, options.hash)
    })
}

interface Acceptance {
  readonly context: Context
  readonly command: Command
  readonly server: string
  readonly names: readonly string[]
}

async function accept(
  { context, command, server, names }: Acceptance,
  hashes: readonly string[] | undefined,
): Promise<void> {
  const output = outputOf(context, command)
  const here = { server, workingFolder: context.surface.workingFolder }
  await withApi(context, command, async (api) => {
    const { changes } = await api.call('mcp.changes', here)
    const chosen = choose(changes, names, hashes)
    if (chosen.length === 0) {
      return output.answer({ tools: [] }, () => ['Nothing waits for your approval.'])
    }
    for (const line of chosen.flatMap(describeChange)) output.note(line)
    if (!hashes) await askFor(context, server, chosen.length)
    const tools = Object.fromEntries(chosen.map(({ name, hash }) => [name, hash]))
    const answer = await api.call('mcp.accept', { ...here, tools })
    output.answer(answer, () => describeTools(answer.tools))
  })
}

/** Selects changes by tool name or hash; an unknown name or hash is an error. */
function choose(
  changes: readonly ToolChange[],
  names: readonly string[],
  hashes: readonly string[] | undefined,
): readonly ToolChange[] {
  const known = new Set(changes.flatMap(({ name, hash }) => [name, hash]))
  const missing = [...names, ...(hashes ?? [])].find((word) => !known.has(word))
  if (missing === undefined) {
    return changes.filter(
      ({ name, hash }) =>
        (names.length === 0 || names.includes(name)) && (hashes?.includes(hash) ?? true),
    )
  }
  throw new CordonError(
    'cli.no-change',
    { exit: 2, hint: 'Run `cordon mcp accept SERVER` without a name to see all that changed' },
    `Cannot accept ${JSON.stringify(missing)}: no change of this server is called so`,
  )
}

async function askFor(context: Context, server: string, count: number): Promise<void> {
  if (!context.surface.terminal.stdin.isTTY) {
    throw new CordonError(
      'cli.needs-hash',
      { exit: 2, hint: 'Read what is shown, then add `--hash HASH` for each one you accept' },
      'Cannot ask for confirmation without a terminal',
    )
  }
  const what = count === 1 ? 'this change' : `these ${count} changes`
  await confirm(context, `Accept ${what} of ${JSON.stringify(server)}?`, false)
}

export function describeChange({ name, before, now, hash, isHeld }: ToolChange): readonly string[] {
  if (isHeld) return [`${printableLine(name)} is quarantined by you, and has not changed (${hash})`]
  const lines = diffLines(before ? showDefinition(before) : [], now ? showDefinition(now) : [])
  const shown = before && now ? changedLines(lines) : lines
  const what = now ? (before ? 'changed' : 'is new, or what it was is not known') : 'is gone'
  return [`${printableLine(name)} ${what} (${hash})`, ...shown.map((line) => `  ${line}`), '']
}
