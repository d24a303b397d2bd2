/** A public registry of servers, searched page by page. */
import type { FoundService } from '../../ports/catalog-port.ts'
import type { ServiceRanking } from '../search/service-ranking.ts'
import { recordOf } from './loose.ts'

export interface SourcePage {
  readonly found: readonly FoundService[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next?: string
  readonly unusable: number
  /** The registry has more than was looked through. */
  readonly isCut?: boolean
  readonly stale?: { readonly ageMs: number; readonly problem: string }
}

/** A search, in the ways in which a registry can be asked. */
export interface SearchQuery {
  /** As it was typed. */
  readonly text: string
  /** For a registry that looks for one piece of text in a name: the whole, joined, and each word. */
  readonly forms: readonly string[]
  readonly rank: ServiceRanking
}

export interface Source {
  readonly id: 'official' | 'smithery'
  /** Used at the beginning of a sentence. */
  readonly title: string
  search(query: SearchQuery, cursor: string | undefined, signal: AbortSignal): Promise<SourcePage>
}

export const PAGE_SIZE = 10

/** Both registries answer with a list in the field `servers`. */
export function hasServers(answer: unknown): boolean {
  return Array.isArray(recordOf(answer)['servers'])
}
