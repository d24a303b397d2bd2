/** The entry in a client's file that starts Cordon, and how it is recognised again. Pure. */
import type { JsonObject } from '../../text/json.ts'
import type { StartLine } from '../../ports/client-import-port.ts'
import { textList, textMap, textOf } from '../import/server-draft.ts'
import type { ClientConfig } from './client-configs.ts'
import type { ConfigEntry } from './edit-config.ts'

const NAMES = ['cordon', 'cordon-gateway']

/** A line that ends in `gateway --client NAME` starts Cordon, whichever program runs it. */
export function isCordonEntry({ entry }: ConfigEntry): boolean {
  const args = textList(entry['args'])
  return args.at(-3) === 'gateway' && args.at(-2) === '--client'
}

export function cordonEntry({ hasType }: ClientConfig, line: StartLine): JsonObject {
  const { command, args, env } = line
  return {
    ...(hasType && { type: 'stdio' }),
    command,
    args: [...args],
    ...(Object.keys(env).length > 0 && { env: { ...env } }),
  }
}

/** A name in the client's own table that no other server has. */
export function cordonPlace({ key }: ClientConfig, entries: readonly ConfigEntry[]): string[] {
  const taken = entries
    .filter((one) => one.place.length === 2 && !isCordonEntry(one))
    .map(({ name }) => name)
  return [key, NAMES.find((name) => !taken.includes(name)) ?? 'cordon-for-your-servers']
}

export function startLineIn({ entry }: ConfigEntry): StartLine {
  return {
    command: textOf(entry['command']) ?? '',
    args: textList(entry['args']),
    env: textMap(entry['env']),
  }
}
