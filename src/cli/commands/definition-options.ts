/** The options of `mcp add` and `mcp edit` for the fields of a definition. */
import type { Command } from 'commander'
import type { DefinitionChanges } from '../../kernel/definition-change.ts'
import { CordonError } from '../../kernel/error.ts'
import type { TransportKind } from '../../kernel/server-definition.ts'

export interface ChangeOptions {
  readonly title?: string
  readonly description?: string
  readonly label?: string
  readonly allow?: readonly string[]
  readonly transport?: TransportKind
  readonly url?: string
  readonly socket?: string
  readonly httpPath?: string
  readonly insecure?: boolean
  readonly start?: 'eager' | 'lazy'
  readonly pin?: string
  readonly memory?: string
  readonly tokenEnv?: string
  readonly secret?: readonly string[]
  readonly env?: readonly string[]
}

export function withChangeOptions(command: Command): Command {
  return command
    .option('--title <text>', 'the name people see')
    .option('--description <text>')
    .option('--label <level>', 'public, internal, sensitive or regulated')
    .option('--allow <host...>', 'the hosts it may reach')
    .option('--transport <kind>', 'stdio, uds, pipe, sse or stream-http')
    .option('--url <url>', 'of a remote server')
    .option('--insecure', 'plain http to a server on this machine; `--no-insecure` takes it back')
    .option('--no-insecure')
    .option('--socket <path>', 'of a server that listens on a Unix socket')
    .option('--http-path <path>', 'where it speaks HTTP on that socket, such as /mcp')
    .option('--start <when>', 'eager or lazy')
    .option('--pin <version>', 'the version it should report')
    .option('--memory <limit>', 'such as 256m')
    .option('--token-env <variable>', 'a remote server’s token, from the environment')
    .option('--secret <name=reference...>', 'such as NOTION_TOKEN=vault:notion_token')
    .option('--env <name=value...>', 'plain settings; never a secret')
}

export function changesFrom(options: ChangeOptions): DefinitionChanges {
  const { title, allow, pin, memory, tokenEnv, secret, env, insecure, socket, ...same } = options
  const auth = { ...pairs(secret), ...(tokenEnv && { bearer: `env:${tokenEnv}` }) }
  return {
    ...same,
    ...(title !== undefined && { name: title }),
    ...(allow && { allowedDomains: allow }),
    ...(insecure !== undefined && { dangerouslyAllowHttp: insecure }),
    ...(socket !== undefined && { socketPath: socket, transport: 'uds' as const }),
    ...(pin !== undefined && { version: pin }),
    ...(memory !== undefined && { memoryLimit: memory }),
    ...(Object.keys(auth).length > 0 && { auth }),
    ...(env && { env: pairs(env) }),
  }
}

function pairs(texts: readonly string[] = []): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map((text) => {
      const equals = text.indexOf('=')
      if (equals > 0) return [text.slice(0, equals), text.slice(equals + 1)]
      // The text is not repeated: it may be a secret that was meant for the vault.
      throw new CordonError(
        'cli.pair',
        { exit: 2, hint: 'Write NAME=VALUE, and secrets as NAME=vault:SECRET' },
        'Cannot read a setting without "="',
      )
    }),
  )
}
