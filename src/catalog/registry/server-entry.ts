/**
 * An entry of the official registry, or a pasted server.json, as a service. Lenient: entries of six schema versions are
 * in use, and one in eight is invalid by its own. An unusable entry gives a reason instead of an error.
 */
import { hash } from 'node:crypto'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Service } from '../../ports/service-facts.ts'
import { freeSlug, ownWords, strangerService, UNKNOWN, wordsAbout } from '../stranger-service.ts'
import { readLaunch } from './entry-launch.ts'
import { field, type Loose, recordOf, textOf } from './loose.ts'

export type ParsedEntry =
  | { readonly kind: 'service'; readonly service: Service }
  | { readonly kind: 'unusable'; readonly reason: string }

const OFFICIAL = 'io.modelcontextprotocol.registry/official'
const MAX_NAME = 200

export function parseServerEntry(raw: unknown, origin: 'official' | 'pasted'): ParsedEntry {
  const entry = recordOf(raw)
  const server = Object.hasOwn(entry, 'server') ? recordOf(entry['server']) : entry
  const name = textOf(field(server, 'name')) ?? ''
  if (!/^[\w.@-]+(?:\/[\w.@-]+)*$/.test(name) || name.length > MAX_NAME) {
    return unusable('it has no proper name')
  }
  const status = statusOf(entry, server)
  if (status === 'deleted') return unusable('it was withdrawn')
  const launch = readLaunch(origin === 'official' ? `official/${name}` : pastedId(server), server)
  if (!launch) return unusable('it names neither a package nor an address')
  const notes = [
    UNKNOWN,
    ...launch.notes,
    ...(status === 'deprecated' ? ['Its publisher calls it deprecated.'] : []),
  ]
  return {
    kind: 'service',
    service: strangerService({ ...launch, ...identity(name, server, origin), notes }),
  }
}

/** Anyone can paste any name, so the secrets of a pasted entry are bound to a hash of its packages and addresses. */
function pastedId(server: Loose): string {
  const what = JSON.stringify([field(server, 'packages'), field(server, 'remotes')])
  return `pasted/${hash('sha256', what, 'hex').slice(0, 32)}`
}

export function unusable(reason: string): ParsedEntry {
  return { kind: 'unusable', reason }
}

function identity(
  name: string,
  server: Loose,
  origin: 'official' | 'pasted',
): Pick<Service, 'slug' | 'title' | 'about' | 'origin' | 'source'> {
  const version = textOf(field(server, 'version'))
  const owner = name.split('/')[0]?.split('.').at(-1) ?? ''
  return {
    slug: freeSlug(ownWords(name), owner, `${owner}-${name.split('/').at(-1) ?? ''}`, name),
    ...wordsAbout(name, textOf(field(server, 'title')), textOf(field(server, 'description'))),
    origin,
    source:
      origin === 'pasted'
        ? { kind: 'manual' }
        : {
            kind: 'official',
            name,
            ...(version === undefined ? {} : { version: seenLine(version, 60) }),
          },
  }
}

/** From the registry's metadata beside the entry, or from the entry itself as in the first schema. */
function statusOf(entry: Loose, server: Loose): string | undefined {
  const meta = recordOf(recordOf(entry['_meta'])[OFFICIAL])
  return textOf(field(meta, 'status')) ?? textOf(field(server, 'status'))
}
