/** The words of a plan. A chat plan and a saved flow are the same value; the flow engine fills this in. */
import type { Json } from './json.ts'
import type { ToolId } from './tool-id.ts'

export interface PlanStep {
  readonly id: string
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Json>>
}

export interface Plan {
  readonly steps: readonly PlanStep[]
}
