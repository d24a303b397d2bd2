/** A public registry of servers, searched page by page. */
import type { FoundService } from '../../kernel/catalog-port.ts'
import { recordOf } from './loose.ts'

export interface SourcePage {
  readonly found: readonly FoundService[]
  /** The cursor of the next page; undefined on the last page. */
  readonly next?: string
  readonly unusable: number
  readonly stale?: { readonly ageMs: number; readonly problem: string }
}

export interface Source {
  readonly id: 'official' | 'smithery'
  /** Used at the beginning of a sentence. */
  readonly title: string
  search(query: string, cursor: string | undefined, signal: AbortSignal): Promise<SourcePage>
}

export const PAGE_SIZE = 10

/** Both registries answer with a list in the field `servers`. */
export function hasServers(answer: unknown): boolean {
  return Array.isArray(recordOf(answer)['servers'])
}
