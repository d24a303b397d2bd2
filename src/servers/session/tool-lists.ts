/** The tool lists of one session, and what is told about tools that cannot be used. */
import { isDeepStrictEqual } from 'node:util'
import type { LogRing } from './log-ring.ts'
import type { RawTool, ToolList } from './tool-list.ts'

/** The log tells which tools cannot be used, once as long as they are the same. */
export class ToolLists {
  readonly #read: () => Promise<ToolList>
  readonly #ring: LogRing
  leftOut: readonly string[] = []

  constructor(read: () => Promise<ToolList>, ring: LogRing) {
    this.#read = read
    this.#ring = ring
  }

  async next(): Promise<readonly RawTool[]> {
    const { tools, leftOut } = await this.#read()
    const isNew = !isDeepStrictEqual(leftOut, this.leftOut)
    if (isNew) for (const sentence of leftOut) this.#ring.add('cordon', sentence)
    this.leftOut = leftOut
    return tools
  }
}
