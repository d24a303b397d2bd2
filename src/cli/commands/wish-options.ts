/** The options of `connect` for what a server turns out to need. Never takes a secret: it is asked for by its name. */
import type { Command } from 'commander'
import type { ConnectOptions } from '../../ports/setup-port.ts'
import { pairs } from './definition-options.ts'

export interface WishOptions {
  readonly allow?: readonly string[]
  readonly memory?: string
  readonly env?: readonly string[]
  readonly arg?: readonly string[]
  readonly again?: boolean
  readonly as?: string
  readonly allowScripts?: boolean
}

export function withWishOptions(command: Command): Command {
  return command
    .option('--allow <host...>', 'hosts that it may reach besides those it is known to need')
    .option('--memory <limit>', 'such as 512m or 1g')
    .option('--env <name...>', 'NAME=VALUE for a plain setting; NAME alone is asked for, hidden')
    .option('--arg <text>', 'an argument for it; repeat for more', collect)
    .option('--as <name>', 'one of several accounts: `gmail --as work` is also `gmail as work`')
    .option('--allow-scripts', 'run its install scripts, in a sandbox without network')
    .option('--again', 'ask for its credentials anew, also if they are there')
}

export function wishFrom(wish: WishOptions): ConnectOptions {
  const { allow, memory, env = [], arg, again, as, allowScripts } = wish
  const secrets = env.filter((text) => !text.includes('='))
  const settings = env.filter((text) => text.includes('='))
  return {
    changes: {
      ...(allow && { allowedDomains: allow }),
      ...(memory !== undefined && { memoryLimit: memory }),
      ...(arg && { args: arg }),
      ...(settings.length > 0 && { env: pairs(settings) }),
    },
    ...(secrets.length > 0 && { secrets }),
    ...(again && { again }),
    ...(allowScripts && { allowScripts }),
    ...(as !== undefined && { account: as }),
  }
}

function collect(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value]
}
