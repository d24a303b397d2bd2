/**
 * An entry of Smithery: one item of a list, with details if they could be loaded. Smithery describes settings by a JSON
 * Schema without a mark for secrets, so their names decide; a setting that can only travel in the URL is refused.
 */
import type { CredentialNeed } from '../../ports/service-facts.ts'
import {
  freeSlug,
  ownWords,
  secretNeed,
  strangerService,
  titleFor,
  UNKNOWN,
  wordsAbout,
} from '../stranger-service.ts'
import { isSecretName } from '../../text/secret-name.ts'
import { parseServerUrl } from '../server-address.ts'
import { type EntryLaunch, orWhy, unsupported } from './entry-launch.ts'
import { isUsableHeader } from './entry-settings.ts'
import { field, type Loose, recordOf, recordsOf, textOf } from './loose.ts'
import { type ParsedEntry, unusable } from './server-entry.ts'

/** `details` is undefined if they could not be loaded. */
export function parseSmitheryEntry(raw: unknown, details: unknown): ParsedEntry {
  const line = recordOf(raw)
  const name = textOf(field(line, 'qualifiedName')) ?? ''
  if (!/^@?[\w.-]+(?:\/[\w.-]+)*$/.test(name) || name.length > 200)
    return unusable('it has no proper name')
  const launch =
    details === undefined ? NO_DETAILS : readConnections(`smithery/${name}`, recordOf(details))
  const owner = name.replace('@', '').split('/')[0] ?? ''
  return {
    kind: 'service',
    service: strangerService({
      ...launch,
      slug: freeSlug(ownWords(name), owner, name),
      ...wordsAbout(name, textOf(field(line, 'displayName')), textOf(field(line, 'description'))),
      origin: 'smithery',
      source: { kind: 'smithery', qualifiedName: name },
      notes: [UNKNOWN, ...launch.notes],
    }),
  }
}

const NO_DETAILS = unsupported('Its details could not be loaded; search again in a while.')

function readConnections(whose: string, details: Loose): EntryLaunch {
  const connections = recordsOf(field(details, 'connections'))
  const http = connections.find((one) => field(one, 'type') === 'http')
  if (!http)
    return unsupported(
      'It comes only as a bundle, which Cordon does not run yet; look for one on npm or with an https address.',
    )
  const address =
    textOf(field(http, 'deploymentUrl')) ?? textOf(field(details, 'deploymentUrl')) ?? ''
  const schema = recordOf(field(http, 'configSchema'))
  return orWhy(() =>
    readHosted(
      whose,
      parseServerUrl(address, () => false),
      schema,
    ),
  )
}

function readHosted(whose: string, url: URL, schema: Loose): EntryLaunch {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const needs: CredentialNeed[] = []
  for (const [name, raw] of Object.entries(recordOf(schema['properties'])).slice(0, 50)) {
    const header = textOf(recordOf(recordOf(raw)['x-from'])['header'])
    if (header === undefined || !isUsableHeader(header)) {
      if (required.has(name) && recordOf(raw)['default'] === undefined)
        return unsupported(IN_ADDRESS)
    } else {
      needs.push(configNeed(whose, name, header, required.has(name)))
    }
  }
  return {
    launch: { kind: 'remote', url: url.href, transport: 'stream-http' },
    domains: [url.hostname],
    credentials: [secretNeed(whose, 'bearer', { required: false }), ...needs],
    env: {},
    oauth: [{ kind: 'mcp', key: 'bearer' }],
    notes: ['Run by Smithery: what you send it passes through their machines.'],
  }
}

const IN_ADDRESS =
  'It wants settings as part of its address, where a secret would end up in logs; look for another way to run it.'

function configNeed(
  whose: string,
  name: string,
  header: string,
  required: boolean,
): CredentialNeed {
  const key = `header:${header}`
  if (isSecretName(name, 'declared') || isSecretName(header, 'declared'))
    return secretNeed(whose, key, { required, title: titleFor(name) })
  return { key, title: titleFor(name), prefixes: [], required }
}
