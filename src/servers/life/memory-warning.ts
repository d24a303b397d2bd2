/** Says once in each session, in the server's log, that the server uses more memory than a server usually needs. */
import { HEAVY_BYTES } from '../../text/server-limits.ts'
import type { LogRing } from '../session/log-ring.ts'
import type { Session } from '../session/open-session.ts'

export class MemoryWarning {
  readonly #ring: Pick<LogRing, 'add'>
  readonly #told = new WeakSet<object>()

  constructor(ring: Pick<LogRing, 'add'>) {
    this.#ring = ring
  }

  async look(session: Pick<Session, 'process'>): Promise<void> {
    if (this.#told.has(session)) return
    const bytes = (await session.process?.memoryBytes()) ?? 0
    if (bytes <= HEAVY_BYTES) return
    this.#told.add(session)
    const much = `It uses ${megabytes(bytes)} of memory`
    this.#ring.add(
      'cordon',
      `${much}, more than the ${megabytes(HEAVY_BYTES)} that a server usually needs`,
    )
  }
}

function megabytes(bytes: number): string {
  return `${Math.round(bytes / 1e6)} MB`
}
