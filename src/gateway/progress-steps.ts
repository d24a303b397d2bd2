/**
 * The numbers of one call's progress as its client is told them. MCP wants each larger than the one before, and clients drop
 * or refuse others; a server may repeat itself, count backwards, or start at zero after Cordon's own sign of life. Its
 * numbers are passed on where they rise; anything else is a small step beyond the last. Pure.
 */
import type { ProgressNumbers } from '../text/call-progress.ts'

/** Small beside the steps of servers, so that their next number is still a larger one. */
const STEP = 0.001
/** For large numbers, whose neighbours are further apart than that. */
const RELATIVE_STEP = 2 ** -40

export class ProgressSteps {
  #last = -Infinity
  #total: number | undefined

  /** Without numbers: a sign of life. */
  next({ progress = -Infinity, total }: Partial<ProgressNumbers> = {}): ProgressNumbers {
    this.#total = total ?? this.#total
    this.#last = progress > this.#last ? progress : this.#beyond()
    const most = this.#total
    return {
      progress: this.#last,
      ...(most !== undefined && this.#last <= most && { total: most }),
    }
  }

  #beyond(): number {
    if (this.#last === -Infinity) return 0
    return this.#last + Math.max(STEP, this.#last * RELATIVE_STEP)
  }
}
