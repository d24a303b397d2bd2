/**
 * The check of `cordon doctor` for the configurations of MCP clients: servers that a client starts around Cordon, lines
 * that fetch whatever version is newest, and tokens in plain text. Reads only, and never shows a value.
 */
import { readFile } from 'node:fs/promises'
import { CordonError } from '../../kernel/error.ts'
import type { DoctorCheck } from '../../text/doctor-check.ts'
import { looksSecret } from '../../text/looks-secret.ts'
import { showText } from '../show-text.ts'
import { textList, textMap, textOf } from '../import/server-draft.ts'
import { type ClientConfig, type ConfigFolders, configsAt } from './client-configs.ts'
import { placeOf, readConfigFile } from './config-file.ts'
import { type ConfigEntry, entriesIn } from './edit-config.ts'
import { isCordonEntry } from './cordon-entry.ts'

const MOST_NAMED = 5

/** Nothing is said about a client that starts Cordon alone, or that is not here. */
export async function clientConfigChecks(folders: ConfigFolders): Promise<readonly DoctorCheck[]> {
  const checks = await Promise.all(configsAt(folders).map((config) => checkClient(config, folders)))
  return checks.flat()
}

async function checkClient(
  config: ClientConfig,
  folders: ConfigFolders,
): Promise<readonly DoctorCheck[]> {
  const read = (path: string): Promise<Buffer | undefined> => readFile(path).catch(() => undefined)
  try {
    const { text } = await readConfigFile(config, placeOf(config, folders), { read })
    const entries = entriesIn(config, text)
    const others = entries.filter((entry) => !isCordonEntry(entry))
    return others.length === 0 ? [] : [warning(config, others, others.length < entries.length)]
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    const { message: finding, hint: remedy } = error
    return [{ name: 'MCP clients', verdict: 'warn', finding, remedy }]
  }
}

function warning(
  { id, name, isOfProject }: ClientConfig,
  others: readonly ConfigEntry[],
  isConnected: boolean,
): DoctorCheck {
  const starts = `${name} ${isConnected ? 'also starts' : 'starts'} ${namesOf(others)} around Cordon`
  const findings = [starts, ...risksOf(others)]
  const which = isOfProject ? '--project' : id
  return {
    name: 'MCP clients',
    verdict: 'warn',
    finding: findings.join('; '),
    remedy: `Run \`cordon import ${which} --dry-run\` to see what would move in, then \`cordon import ${which}\``,
  }
}

/** Sentences about entries that fetch whatever is newest, or hold a token. No value is shown. */
export function risksOf(entries: readonly ConfigEntry[]): readonly string[] {
  const unpinned = entries.filter(isUnpinned)
  const open = entries.filter(holdsToken)
  return [
    ...(unpinned.length > 0 ? [`no version is pinned for ${namesOf(unpinned)}`] : []),
    ...(open.length > 0 ? [`tokens in plain text: ${namesOf(open)}`] : []),
  ]
}

function namesOf(entries: readonly ConfigEntry[]): string {
  const names = [...new Set(entries.map(({ name }) => showText(name)))]
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}

const RUNNERS = /(?:^|[\\/])(?:npx|bunx|uvx|pnpx)(?:\.cmd)?$/
const PINNED = /(?:.@|==)\d/

/** A runner without an exact version fetches whatever is newest at every start. */
function isUnpinned({ entry }: ConfigEntry): boolean {
  if (!RUNNERS.test(textOf(entry['command']) ?? '')) return false
  const name = textList(entry['args']).find((arg) => !arg.startsWith('-'))
  return name !== undefined && !PINNED.test(name)
}

function holdsToken({ entry }: ConfigEntry): boolean {
  const named = ['env', 'headers', 'http_headers'].flatMap((key) =>
    Object.entries(textMap(entry[key])),
  )
  const bare = textList(entry['args']).map((arg) => ['', arg] as const)
  return [...named, ...bare].some(([name, value]) => looksSecret(name, value))
}
