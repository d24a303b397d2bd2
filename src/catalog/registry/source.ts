/** A public list of servers, as one page of it looks to the search. */
import type { FoundService } from '../../kernel/catalog-port.ts'
import { recordOf } from './loose.ts'

export interface SourcePage {
  readonly found: readonly FoundService[]
  /** Where this source goes on; undefined at its end. */
  readonly next?: string
  readonly unusable: number
  readonly stale?: { readonly ageMs: number; readonly problem: string }
}

export interface Source {
  readonly id: 'official' | 'smithery'
  /** At the beginning of a sentence. */
  readonly title: string
  search(query: string, cursor: string | undefined, signal: AbortSignal): Promise<SourcePage>
}

export const PAGE_SIZE = 10

/** Both registries answer with their servers under this name. */
export function hasServers(answer: unknown): boolean {
  return Array.isArray(recordOf(answer)['servers'])
}
