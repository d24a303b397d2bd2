/** The official MCP registry: `GET /v0.1/servers`. Needs no key, and is sent none. */
import type { FoundService } from '../../kernel/catalog-port.ts'
import type { Ask } from './ask-registry.ts'
import { authTypeOf } from './auth-type-of.ts'
import { field, recordOf, recordsOf, textOf } from './loose.ts'
import { parseServerEntry } from './server-entry.ts'
import { hasServers, PAGE_SIZE, type Source } from './source.ts'

export function createOfficialSource(ask: Ask, baseUrl: string): Source {
  return {
    id: 'official',
    title: 'The official registry',
    async search(query, cursor, signal) {
      const url = new URL('/v0.1/servers', baseUrl)
      url.search = new URLSearchParams({
        search: query,
        limit: String(PAGE_SIZE),
        version: 'latest',
        ...(cursor === undefined ? {} : { cursor }),
      }).toString()
      const { value, stale } = await ask({ url: url.href, isAnswer: hasServers }, signal)
      const { servers, metadata } = recordOf(value)
      const entries = recordsOf(servers).map((entry) => parseServerEntry(entry, 'official'))
      const found = entries.flatMap((entry) =>
        entry.kind === 'service' ? [asFound(entry.service)] : [],
      )
      const next = textOf(field(recordOf(metadata), 'nextCursor'))
      return {
        found,
        unusable: entries.length - found.length,
        ...(next === undefined ? {} : { next }),
        ...(stale === undefined ? {} : { stale }),
      }
    },
  }
}

/** The registry verifies the publisher's domain in a name; an `io.github.` name only proves a GitHub account. */
function asFound(service: FoundService['service']): FoundService {
  const name = service.source.kind === 'official' ? service.source.name : ''
  const verified = name.includes('/') && !/^io\.github\./i.test(name)
  return { service, badge: 'Official', verified, auth: authTypeOf(service) }
}
