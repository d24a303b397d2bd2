/** The Smithery registry: a list, and details of each server. The key is sent in the Authorization header only. */
import type { FoundService } from '../../ports/catalog-port.ts'
import type { Ask } from './ask-registry.ts'
import { authTypeOf } from './auth-type-of.ts'
import { field, type Loose, recordOf, recordsOf, textOf } from './loose.ts'
import { parseSmitheryEntry } from './smithery-entry.ts'
import { hasServers, PAGE_SIZE, type Source } from './source.ts'

export function createSmitherySource(
  ask: Ask,
  baseUrl: string,
  key: () => Promise<string | undefined>,
): Source {
  const headers = async (): Promise<Readonly<Record<string, string>>> => {
    // With a locked vault Smithery is asked without a key; its refusal then becomes a notice.
    const token = await key().catch(() => undefined)
    return token === undefined ? {} : { authorization: `Bearer ${token}` }
  }
  const detailsOf = async (line: Loose, signal: AbortSignal): Promise<unknown> => {
    const name = textOf(field(line, 'qualifiedName')) ?? ''
    const { href: url } = new URL(`/servers/${encodeURIComponent(name)}`, baseUrl)
    const answer = await ask({ url, headers, isAnswer: isDetails }, signal).catch(() => undefined)
    return answer?.value
  }
  return {
    id: 'smithery',
    title: 'Smithery',
    async search({ text }, cursor, signal) {
      const page = pageNumber(cursor)
      const url = new URL('/servers', baseUrl)
      url.search = new URLSearchParams({
        q: text,
        page: String(page),
        pageSize: String(PAGE_SIZE),
      }).toString()
      const question = { url: url.href, headers, isAnswer: hasServers }
      const { value, stale } = await ask(question, signal)
      const lines = recordsOf(recordOf(value)['servers']).slice(0, PAGE_SIZE)
      const found = (
        await Promise.all(lines.map(async (line) => asFound(line, await detailsOf(line, signal))))
      ).flat()
      const pages = Number(recordOf(recordOf(value)['pagination'])['totalPages'])
      return {
        found,
        unusable: lines.length - found.length,
        ...(pages > page ? { next: String(page + 1) } : {}),
        ...(stale === undefined ? {} : { stale }),
      }
    },
  }
}

function isDetails(answer: unknown): boolean {
  return Array.isArray(recordOf(answer)['connections'])
}

function pageNumber(cursor: string | undefined): number {
  return /^[1-9]\d{0,5}$/.test(cursor ?? '') ? Number(cursor) : 1
}

function asFound(line: Loose, details: unknown): readonly FoundService[] {
  const entry = parseSmitheryEntry(line, details)
  if (entry.kind === 'unusable') return []
  const uses = Number(field(line, 'useCount'))
  return [
    {
      service: entry.service,
      badge: 'Smithery',
      verified: field(line, 'verified') === true,
      // Without details the kind is unknown; an API key is the likely one.
      auth: details === undefined ? 'api_key' : authTypeOf(entry.service),
      ...(Number.isSafeInteger(uses) && uses >= 0 ? { uses } : {}),
    },
  ]
}
