/**
 * Which version a definition's `npx` line was resolved to, kept over restarts. A pin holds for exactly the line it was
 * made for: another line in the file is resolved anew.
 */
import { z } from 'zod'
import type { Notes } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'

export interface PackagePin {
  /** The command line that was resolved. */
  readonly line: string
  readonly package: string
  readonly version: string
  readonly integrity: string
  /** The installed program, absolute. */
  readonly entry: string
}

const KIND = 'package-pin'
const PIN: z.ZodType<PackagePin> = z.object({
  line: z.string(),
  package: z.string(),
  version: z.string(),
  integrity: z.string(),
  entry: z.string(),
})

export interface PackagePins {
  find(definition: ServerDefinition): Promise<PackagePin | undefined>
  put(definition: ServerDefinition, pin: Omit<PackagePin, 'line'>): Promise<void>
}

export function createPackagePins(notes: Pick<Notes, 'put' | 'list'>): PackagePins {
  return {
    async find(definition) {
      const note = (await notes.list(KIND)).find(({ id }) => id === definition.id)
      const pin = note && PIN.safeParse(JSON.parse(note.content)).data
      return pin?.line === lineOf(definition) ? pin : undefined
    },
    async put(definition, pin) {
      const content = JSON.stringify({ ...pin, line: lineOf(definition) } satisfies PackagePin)
      await notes.put(KIND, definition.id, content)
    },
  }
}

function lineOf({ command, args }: ServerDefinition): string {
  return JSON.stringify([command, ...args])
}
