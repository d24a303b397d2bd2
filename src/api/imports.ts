/**
 * Routes that move a client in and out: its servers into Cordon, and Cordon into its configuration file. The page may use
 * them: it names a known client, never a path or a program, and a server that moves in runs with less than it had before.
 */
import { z } from 'zod'
import type {
  ClientAt,
  ClientImports,
  ClientMove,
  ClientPlan,
  ClientUndo,
  FoundClient,
} from '../ports/client-import-port.ts'
import type { Routes } from './route.ts'

export interface ImportContract {
  /** With the files of the project in `folder`, which only a terminal may name. */
  'imports.list': {
    surface: 'any'
    input: { readonly folder?: string }
    output: { readonly clients: readonly FoundClient[] }
  }
  'imports.plan': { surface: 'any'; input: ClientAt; output: ClientPlan }
  /** `seen` is the hash that `imports.plan` showed. */
  'imports.move': {
    surface: 'any'
    input: ClientAt & { readonly seen: string }
    output: ClientMove
  }
  /** Tries the start line that the move wrote, as the client would. If that fails, the move is taken back where it can be. */
  'imports.finish': { surface: 'any'; input: ClientAt; output: { readonly tools: number } }
  'imports.undo': {
    surface: 'any'
    input: ClientAt & { readonly merge: boolean }
    output: ClientUndo
  }
}

export interface ImportDeps {
  readonly imports: ClientImports
  readonly servers: { refresh(): Promise<unknown> }
}

const at = {
  client: z.string().min(1).max(64),
  folder: z.string().min(1).max(4096).exactOptional(),
}

/** A page names no path. */
const isForTerminal = ({ folder }: { readonly folder?: string }): boolean => folder !== undefined

export function importRoutes({ imports, servers }: ImportDeps): Routes<ImportContract> {
  return {
    'imports.list': {
      surface: 'any',
      input: z.strictObject({ folder: at.folder }),
      isForTerminal,
      handle: async ({ folder }) => ({ clients: await imports.find(folder) }),
    },
    'imports.plan': {
      surface: 'any',
      input: z.strictObject(at),
      isForTerminal,
      handle: (of) => imports.plan(of),
    },
    'imports.move': {
      surface: 'any',
      input: z.strictObject({ ...at, seen: z.string().max(64) }),
      isForTerminal,
      async handle({ seen, ...of }) {
        const moved = await imports.move(of, seen)
        await servers.refresh()
        return moved
      },
    },
    'imports.finish': {
      surface: 'any',
      input: z.strictObject(at),
      isForTerminal,
      async handle(of, signal) {
        try {
          return await imports.check(of, signal)
        } catch (error) {
          // A file that has changed meanwhile is not taken back; the owner still has to know why its line failed.
          await imports.undo(of, { merge: false }).catch(() => undefined)
          await servers.refresh().catch(() => undefined)
          throw error
        }
      },
    },
    'imports.undo': {
      surface: 'any',
      input: z.strictObject({ ...at, merge: z.boolean() }),
      isForTerminal,
      async handle({ merge, ...of }) {
        const undone = await imports.undo(of, { merge })
        await servers.refresh()
        return undone
      },
    },
  }
}
