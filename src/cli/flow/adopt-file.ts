/**
 * Makes the flow of a file the owner's own: shows what it does, and asks. Without a terminal it needs a flag that says
 * what it means, since nobody is shown anything.
 */
import path from 'node:path'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowSource } from '../../ports/flow-port.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf } from '../context.ts'
import { describeCheck } from './flow-view.ts'

interface Adopted {
  readonly source: FlowSource
  readonly asMine: boolean
}

export async function adoptFile(
  context: Context,
  command: Command,
  api: Api,
  { source, asMine }: Adopted,
): Promise<void> {
  if (!('isFile' in source) || asMine) return
  if (!context.surface.terminal.stdin.isTTY) throw needsFlag()
  const check = await api.call('flows.check', { source }, context.signal)
  const output = outputOf(context, command)
  for (const line of describeCheck(check)) output.note(line)
  await confirm(context, 'Do you know who wrote it, and do you want it as your own?', false)
}

/** `flows/digest.flow` is saved as `digest`. */
export function nameOfFile(word: string): string {
  if (/\.(?:flow|json)$/.test(word) && !/\s/.test(word)) {
    return path.basename(word).replace(/\.(?:flow|json)$/, '')
  }
  throw new CordonError(
    'cli.flow-name',
    { exit: 2, hint: "Write `cordon flow save NAME 'FLOW'`, or `cordon flow save FILE`" },
    'Cannot save a flow without a name',
  )
}

function needsFlag(): CordonError {
  return new CordonError(
    'cli.needs-as-mine',
    { exit: 2, hint: 'Run it in a terminal to be shown what it does, or add `--as-mine`' },
    'Cannot take a file as your own words without showing it to you',
  )
}
