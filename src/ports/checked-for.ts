/** The circumstances that a flow is checked for. */
import type { Json } from '../text/json.ts'

export interface CheckedFor {
  /** Also reports what keeps the flow from running now, and the given inputs that it does not take. */
  readonly now?: true
  /** The name of the limits that a run would have. */
  readonly template?: string
  /** The values of given inputs, to compare their types. */
  readonly inputs?: Readonly<Record<string, Json>>
}
