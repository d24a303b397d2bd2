/**
 * A capability: the right to run one call, once, within five minutes. The door issues it after the decision, and the
 * room that runs the tool redeems it first; without a capability there is no way to a tool.
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

  /** The tool of the call, which decides the room that runs it. */
  get tool(): ToolId {
    return this.#call.tool
  }

  static issue(call: ToolCall, now: number): Capability {
    return new Capability(call, now + LIFETIME_MS)
  }

  /** The call with its arguments. Throws the second time, and after the capability expired. */
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
