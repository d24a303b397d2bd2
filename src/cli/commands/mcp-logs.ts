/** `mcp logs`: what a server wrote and what it was not allowed to reach, or with `--protocol` its MCP messages. */
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, Option } from 'commander'
import type { LogLine, ProtocolMessage } from '../../kernel/server-state.ts'
import type { LogLevel } from '../../ports/feature-port.ts'
import { LOG_LEVELS } from '../../text/log-levels.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine } from '../output.ts'

const FOLLOW_MS = 500

interface LogOptions {
  readonly follow?: boolean
  readonly protocol?: boolean
  readonly level?: LogLevel
}

export function addLogCommand(mcp: Command, context: Context): void {
  mcp
    .command('logs')
    .argument('<server>')
    .description('show what it said, and what it was not allowed to reach')
    .option('-f, --follow', 'keep showing until Ctrl-C')
    .option('--protocol', 'show the last MCP messages instead, with secrets masked')
    .addOption(
      new Option('--level <level>', 'ask for log messages from this level on').choices(LOG_LEVELS),
    )
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon mcp logs notion --follow\n  $ cordon mcp logs notion --level debug --follow\n  $ cordon mcp logs notion --protocol',
    )
    .action(async (server: string, options: LogOptions, command: Command) => {
      await showLogs(context, command, server, options)
    })
}

async function showLogs(
  context: Context,
  command: Command,
  server: string,
  { follow = false, protocol = false, level }: LogOptions,
): Promise<void> {
  await withApi(context, command, async (api) => {
    const output = outputOf(context, command)
    const here = { server, workingFolder: context.surface.workingFolder }
    if (level) await api.call('mcp.log-level', { ...here, level }, context.signal)
    const readLines = async (): Promise<void> => {
      const { lines } = await api.call('mcp.logs', here)
      show(lines, 'lines', showLine)
    }
    const readMessages = async (): Promise<void> => {
      const { messages } = await api.call('mcp.messages', here)
      show(messages, 'messages', showMessage)
    }
    let seen: number | undefined
    const show = <T extends { readonly seq: number }>(
      all: readonly T[],
      name: string,
      text: (one: T) => string,
    ): void => {
      const last = all.at(-1)?.seq ?? 0
      const since = seen === undefined || last < seen ? 0 : seen // fewer: the server's log began anew
      const fresh = all.filter(({ seq }) => seq > since)
      if (seen === undefined || fresh.length > 0)
        output.answer({ [name]: fresh }, () => fresh.map(text))
      seen = last
    }
    const read = protocol ? readMessages : readLines
    await read()
    if (!follow) return
    while (!context.signal.aborted) {
      await pause(FOLLOW_MS)
      await read()
    }
  })
}

function showLine({ at, from, text }: LogLine): string {
  return `${at} ${from}: ${printableLine(text)}`
}

function showMessage({ at, direction, text }: ProtocolMessage): string {
  return `${at} ${direction === 'sent' ? '→' : '←'} ${printableLine(text)}`
}
