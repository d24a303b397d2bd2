/** Before a start: the definition with its package installed. Happens before a slot is taken, since it can take minutes. */
import type { ServerDefinition } from '../../kernel/server-definition.ts'

/** The definition as it is started: a package that it names is installed first. */
export type Provide = (
  definition: ServerDefinition,
  progress: (step: string) => void,
  signal: AbortSignal,
) => Promise<ServerDefinition>

/** Asks again if the definition was changed meanwhile, in fields that need no restart. */
export async function provideDefinition(
  provide: Provide | undefined,
  current: () => ServerDefinition,
  progress: (step: string) => void,
  signal: AbortSignal,
): Promise<ServerDefinition> {
  for (;;) {
    const written = current()
    const provided = provide ? await provide(written, progress, signal) : written
    if (current() === written) return provided
  }
}
