/**
 * Routes that move a client in and out: its servers into Cordon, and Cordon into its configuration file. A page may look;
 * only a terminal changes the files of other programs.
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
    input: { readonly client: string; readonly seen: string }
    output: ClientMove
  }
  'imports.check': {
    input: { readonly client: string }
    output: { readonly tools: number }
  }
  'imports.undo': {
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
      surface: 'terminal',
      input: z.strictObject({ client, seen: z.string().max(64) }),
      async handle({ client: of, seen }) {
        const moved = await imports.move(of, seen)
        await servers.refresh()
        return moved
      },
    },
    'imports.check': {
      surface: 'terminal',
      input: z.strictObject({ client }),
      handle: ({ client: of }, signal) => imports.check(of, signal),
    },
    'imports.undo': {
      surface: 'terminal',
      input: z.strictObject({ client, merge: z.boolean() }),
      async handle({ client: of, merge }) {
        const undone = await imports.undo(of, { merge })
        await servers.refresh()
        return undone
      },
    },
  }
}
