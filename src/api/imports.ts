/**
 * Routes that move a client in and out: its servers into Cordon, and Cordon into its configuration file. The page may use
 * them: it names a known client, never a path or a program, and a server that moves in runs with less than it had before.
 */
import { z } from 'zod'
import type {
  ClientImports,
  ClientMove,
  ClientPlan,
  ClientUndo,
  FoundClient,
} from '../ports/client-import-port.ts'
import { nothing } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

export interface ImportContract {
  'imports.list': {
    surface: 'any'
    input: Nothing
    output: { readonly clients: readonly FoundClient[] }
  }
  'imports.plan': { surface: 'any'; input: { readonly client: string }; output: ClientPlan }
  /** `seen` is the hash that `imports.plan` showed. */
  'imports.move': {
    surface: 'any'
    input: { readonly client: string; readonly seen: string }
    output: ClientMove
  }
  'imports.check': {
    surface: 'any'
    input: { readonly client: string }
    output: { readonly tools: number }
  }
  'imports.undo': {
    surface: 'any'
    input: { readonly client: string; readonly merge: boolean }
    output: ClientUndo
  }
}

export interface ImportDeps {
  readonly imports: ClientImports
  readonly servers: { refresh(): Promise<unknown> }
}

const client = z.string().min(1).max(64)

export function importRoutes({ imports, servers }: ImportDeps): Routes<ImportContract> {
  return {
    'imports.list': {
      surface: 'any',
      input: nothing,
      handle: async () => ({ clients: await imports.find() }),
    },
    'imports.plan': {
      surface: 'any',
      input: z.strictObject({ client }),
      handle: ({ client: of }) => imports.plan(of),
    },
    'imports.move': {
      surface: 'any',
      input: z.strictObject({ client, seen: z.string().max(64) }),
      async handle({ client: of, seen }) {
        const moved = await imports.move(of, seen)
        await servers.refresh()
        return moved
      },
    },
    'imports.check': {
      surface: 'any',
      input: z.strictObject({ client }),
      handle: ({ client: of }, signal) => imports.check(of, signal),
    },
    'imports.undo': {
      surface: 'any',
      input: z.strictObject({ client, merge: z.boolean() }),
      async handle({ client: of, merge }) {
        const undone = await imports.undo(of, { merge })
        await servers.refresh()
        return undone
      },
    },
  }
}
