/** Finds out what a server that did not start lacks, by how it ended and what it tried. Starts and changes nothing. */
import { CordonError } from '../../kernel/error.ts'
import type { Connection, Remedy } from '../connection/connection.ts'
import type { SetupDeps } from '../setup-deps.ts'
import { isSettable, missingSetting } from './missing-setting.ts'

const MEBIBYTE = 2 ** 20
/** More is never offered: whoever needs it says so. */
const MOST_BYTES = 4 * 2 ** 30
const MOST_HOSTS = 5

export async function findRemedy(
  deps: Pick<SetupDeps, 'definitions' | 'servers'>,
  connection: Connection,
  error: unknown,
): Promise<Remedy | undefined> {
  const words = error instanceof CordonError ? (error.why ?? '') : ''
  if (error instanceof CordonError && error.code === 'servers.memory') {
    return await moreMemory(deps, connection)
  }
  const key = missingSetting(words, namesGiven(connection))
  if (key !== undefined) return { kind: 'setting', key }
  const hosts = await blockedHosts(deps, connection)
  if (hosts.length > 0) return { kind: 'hosts', hosts }
  return namedSetting(connection, words)
}

/** It ended by itself, and said nothing, or that some value is not right. */
const ENDED = /^it exited with code [1-9]/
const OF_A_VALUE =
  /\b(?:empty|invalid|missing|required|undefined|null|no|not)\b.*\b(?:url|uri|key|token|secret|password|host|user|credentials?|config\w*|settings?|env\w*|variables?|connection string)\b|\b(?:url|uri|key|token|secret|password|host|user|credentials?|config\w*|settings?|env\w*|variables?)\b.*\b(?:empty|invalid|missing|required|undefined|null|not)\b/i

function isUnexplained(words: string): boolean {
  return ENDED.test(words) && (!words.includes('it last said:') || OF_A_VALUE.test(words))
}

function namedSetting(connection: Connection, words: string): Remedy | undefined {
  const given = namesGiven(connection)
  const isGuessed = connection.service.origin !== 'catalog' && isUnexplained(words)
  const names = isGuessed ? (connection.plan?.named ?? []) : []
  const key = names.find((name) => isSettable(name) && !given.has(name))
  return key === undefined ? undefined : { kind: 'setting', key, isGuess: true }
}

/** Hosts that it tried and could be allowed; without those to which it is known to send telemetry. */
export async function blockedHosts(
  { servers }: Pick<SetupDeps, 'servers'>,
  { service }: Connection,
): Promise<readonly string[]> {
  const state = (await servers.states()).find(({ server }) => server === service.slug)
  const telemetry = new Set(service.telemetryDomains)
  return (state?.blockedHosts ?? []).filter((host) => !telemetry.has(host)).slice(0, MOST_HOSTS)
}

function namesGiven({ service, settings, found }: Connection): ReadonlySet<string> {
  return new Set(Object.keys({ ...service.env, ...settings, ...found.refs }))
}

/** Twice what it had. */
async function moreMemory(
  { definitions }: Pick<SetupDeps, 'definitions'>,
  { service }: Connection,
): Promise<Remedy | undefined> {
  const { servers } = await definitions.load()
  const own = servers.find(({ definition }) => definition.id === service.slug)
  const bytes = 2 * (own?.definition.sandbox.memoryLimitBytes ?? 0)
  if (bytes === 0 || bytes > MOST_BYTES) return undefined
  return { kind: 'memory', limit: `${Math.round(bytes / MEBIBYTE)}m` }
}
