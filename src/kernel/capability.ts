/**
 * The right to run one call, once, soon. The door issues it after the decision, and a server's room takes it back before
 * it does anything: whoever has none has no way to a tool.
 */
import { CordonError } from './error.ts'
import type { ToolCall } from './tool-call.ts'
import { showTool, type ToolId } from './tool-id.ts'

const LIFETIME_MS = 5 * 60_000

export class Capability {
  readonly #call: ToolCall
  readonly #expiresAt: number
  #isUsed = false

  private constructor(call: ToolCall, expiresAt: number) {
    this.#call = call
    this.#expiresAt = expiresAt
  }

  /** Which tool it is for, so that it finds the room that runs it. */
  get tool(): ToolId {
    return this.#call.tool
  }

  static issue(call: ToolCall, now: number): Capability {
    return new Capability(call, now + LIFETIME_MS)
  }

  /** The call it is for, arguments and all. Throws the second time, and when it is too late. */
  static redeem(capability: Capability, now: number): ToolCall {
    if (!(#call in capability)) throw new TypeError('No capability was shown')
    const call = capability.#call
    if (capability.#isUsed || now >= capability.#expiresAt) throw notValid(call)
    capability.#isUsed = true
    return call
  }
}

function notValid({ tool }: ToolCall): CordonError {
  return new CordonError(
    'kernel.capability',
    { exit: 3, hint: 'Call the tool again' },
    `Cannot call ${JSON.stringify(showTool(tool))}: the permission was used or is too old`,
  )
}
