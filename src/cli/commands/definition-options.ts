/** The options of `mcp add` and `mcp edit` for the fields of a definition. */
import path from 'node:path'
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
  /** False with `--no-start`. */
  readonly start?: 'eager' | 'lazy' | false
  readonly pin?: string
  readonly memory?: string
  readonly idle?: string
  readonly restarts?: string
  readonly callTimeout?: string
  readonly read?: readonly string[]
  readonly write?: readonly string[]
  readonly tokenEnv?: string
  readonly secret?: readonly string[]
  readonly seal?: readonly string[]
  readonly unseal?: readonly string[]
  readonly env?: readonly string[]
}

export function withChangeOptions(command: Command): Command {
  return withPlaceOptions(command)
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
    .option('--start <when>', 'eager (with Cordon) or lazy (at its first call)')
    .option('--no-start', 'the same as `--start lazy`')
    .option('--pin <version>', 'the version it should report')
    .option('--memory <limit>', 'such as 512m; `default` here and below takes it out of its file')
    .option('--idle <time>', 'stop it after this long without a call, such as 30m, or never')
    .option('--restarts <number>', 'how often it is started again when it dies, such as 3')
    .option('--call-timeout <time>', 'how long a call may take without progress, such as 30s')
    .option('--token-env <variable>', 'a remote server’s token, from the environment')
    .option('--secret <name=reference...>', 'such as NOTION_TOKEN=vault:notion_token')
    .option(
      '--seal <name=hosts...>',
      'the server gets a placeholder, and its proxy puts the secret in for these hosts; without hosts: for all it may reach',
    )
    .option('--unseal <name...>', 'give the secret to the server itself again')
    .option('--env <name=value...>', 'plain settings; never a secret')
}

export interface PlaceOptions {
  readonly read?: readonly string[]
  readonly write?: readonly string[]
}

/** Each may be given several times. */
export function withPlaceOptions(command: Command): Command {
  const more = (word: string, before: readonly string[] = []): readonly string[] => [
    ...before,
    word,
  ]
  return command
    .option('--read <path>', 'a folder or file that it may read; again for more', more)
    .option('--write <path>', 'one below which it may change anything; again for more', more)
}

/** Absolute, as the person means them in the folder where they typed the command. */
export function placesFrom({ read, write }: PlaceOptions, workingFolder: string): PlaceOptions {
  const absolute = (words: readonly string[]): readonly string[] =>
    words.map((word) => (word.startsWith('~') ? word : path.resolve(workingFolder, word)))
  return { ...(read && { read: absolute(read) }), ...(write && { write: absolute(write) }) }
}

export function changesFrom(options: ChangeOptions, workingFolder: string): DefinitionChanges {
  const { title, allow, pin, tokenEnv, secret, seal, env, insecure, socket, ...rest } = options
  const {
    read: _read,
    write: _write,
    memory: _memory,
    restarts: _restarts,
    start: _start,
    ...same
  } = rest
  const auth = { ...pairs(secret), ...(tokenEnv && { bearer: `env:${tokenEnv}` }) }
  return {
    ...same,
    ...(title !== undefined && { name: title }),
    ...(allow && { allowedDomains: allow }),
    ...(insecure !== undefined && { dangerouslyAllowHttp: insecure }),
    ...(socket !== undefined && { socketPath: socket, transport: 'uds' as const }),
    ...(pin !== undefined && { version: pin }),
    ...limitsFrom(options),
    ...pathsFrom(options, workingFolder),
    ...(Object.keys(auth).length > 0 && { auth }),
    ...(seal && { seal: sealsFrom(seal) }),
    ...(env && { env: pairs(env) }),
  }
}

/** `TOKEN`, or `TOKEN=api.example.com,uploads.example.com`. */
function sealsFrom(words: readonly string[]): Readonly<Record<string, readonly string[]>> {
  return Object.fromEntries(
    words.map((word) => {
      const [name = '', hosts = ''] = word.split('=')
      return [name, hosts.split(',').filter(Boolean)]
    }),
  )
}

function limitsFrom({ memory, restarts, start }: ChangeOptions): DefinitionChanges {
  return {
    ...(start !== undefined && { start: start === false ? 'lazy' : start }),
    ...(memory !== undefined && { memoryLimit: memory }),
    ...(restarts !== undefined && { restarts: restartsFrom(restarts) }),
  }
}

function restartsFrom(word: string): number | 'default' {
  if (word === 'default') return word
  if (/^\d{1,3}$/.test(word)) return Number(word)
  throw new CordonError(
    'cli.number',
    { exit: 2, hint: 'Write a whole number, such as `--restarts 3`' },
    `Cannot read the number of restarts ${JSON.stringify(word)}`,
  )
}

function pathsFrom(options: PlaceOptions, workingFolder: string): DefinitionChanges {
  const { read, write } = placesFrom(options, workingFolder)
  return { ...(read && { readPaths: read }), ...(write && { writePaths: write }) }
}

export function pairs(texts: readonly string[] = []): Readonly<Record<string, string>> {
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
