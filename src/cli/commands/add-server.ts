/**
 * `mcp add`: writes the definition, and where a person looks on, waits for the first start and says what came of it. The
 * definition stays whatever happens then. Plain http is never taken unasked.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import { cancelled, isConfirmed } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeServer } from './mcp-view.ts'

export async function addServer(
  context: Context,
  command: Command,
  server: string,
  wanted: DefinitionChanges,
): Promise<void> {
  const changes = await withoutSurprise(context, wanted)
  await withApi(context, command, async (api) => {
    const added = await api.call('mcp.add', { server, changes })
    const output = outputOf(context, command)
    const isWatched = context.surface.terminal.stdin.isTTY && !output.json
    const isWaitedFor = isWatched && added.state.badge !== 'disabled' && changes.start !== 'lazy'
    const problem = isWaitedFor ? await firstStart(context, api, server) : undefined
    const details = isWaitedFor ? await api.call('mcp.show', { server }) : added
    output.answer(details, () => describeServer(details))
    if (!problem) return
    output.note(`warning: It is added, and does not start: ${problem.message}`)
    output.note(`  ${problem.hint}`)
    context.endWith(problem.exit)
  })
}

async function firstStart(
  { signal, surface }: Context,
  api: Api,
  server: string,
): Promise<CordonError | undefined> {
  surface.terminal.stderr.write(`Starting ${server} …\n`)
  try {
    await api.call('mcp.start', { server }, signal)
    return undefined
  } catch (error) {
    if (!(error instanceof CordonError) || signal.aborted) throw error
    return error
  }
}

/** Plain http is asked about, or wants `--insecure`. Any other mistake in an address is told by the kernel. */
export async function withoutSurprise(
  { surface: { terminal }, signal }: Context,
  changes: DefinitionChanges,
): Promise<DefinitionChanges> {
  const { url = '', dangerouslyAllowHttp } = changes
  if (URL.parse(url)?.protocol !== 'http:' || dangerouslyAllowHttp !== undefined) return changes
  if (!terminal.stdin.isTTY) {
    throw new CordonError(
      'cli.insecure',
      { exit: 2, hint: 'Add `--insecure` if the server is on this machine, or write https' },
      'Cannot use plain http unasked: it is not encrypted',
    )
  }
  const question =
    'That address is not encrypted, which is fine only for a server on this machine. Use it?'
  if (!(await isConfirmed(terminal, question, signal))) throw cancelled()
  return { ...changes, dangerouslyAllowHttp: true }
}

/** Files as the person means them in the folder where they typed the command: a server runs elsewhere. */
export function programFrom(words: readonly string[], workingFolder: string): DefinitionChanges {
  const [command, ...args] = words.map((word, index) => {
    const isFile = /^\.{1,2}\//.test(word) || (index > 0 && isFileIn(workingFolder, word))
    return isFile ? path.resolve(workingFolder, word) : word
  })
  return command === undefined ? {} : { command, args }
}

function isFileIn(folder: string, word: string): boolean {
  if (!/\.[cm]?[jt]s$|\.py$/.test(word)) return false
  return statSync(path.resolve(folder, word), { throwIfNoEntry: false })?.isFile() ?? false
}
