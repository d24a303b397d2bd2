/** Routes about watches: what is looked at, how often and when next, and the end of one. None is set here. */
import { z } from 'zod'
import type { WatchList } from '../ports/watch-port.ts'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ShownWatch {
  readonly number: number
  readonly about: string
  readonly everyMs: number
  readonly nextAt: string
  readonly hasFailed: boolean
}

export interface WatchContract {
  'watches.list': {
    surface: 'any'
    input: Nothing
    output: { readonly watches: readonly ShownWatch[] }
  }
  /** Open to the page: it only ends what ran by itself. */
  'watches.stop': {
    surface: 'any'
    input: { readonly number: number }
    output: { readonly removed: boolean }
  }
}

export interface WatchDeps {
  readonly watches: WatchList
}

export function watchRoutes({ watches }: WatchDeps): Routes<WatchContract> {
  return {
    'watches.list': {
      surface: 'any',
      input: nothing,
      async handle() {
        const all = await watches.list()
        return {
          watches: all.map(({ number, about, everyMs, nextAt, hasFailed = false }) => ({
            number,
            about,
            everyMs,
            nextAt: new Date(nextAt).toISOString(),
            hasFailed,
          })),
        }
      },
    },
    'watches.stop': {
      surface: 'any',
      input: z.strictObject({ number: z.int().min(1) }),
      handle: async ({ number }) => ({ removed: (await watches.remove(number)) !== undefined }),
    },
  }
}
