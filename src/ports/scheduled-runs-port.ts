/** Operations on runs that only schedules need. The room `flows/` implements them. */
import type { Problem } from '../text/problem.ts'
import type { StartFlow } from './flow-port.ts'

export interface ScheduledRuns {
  /** For a start that was refused while nobody looked: leaves a run that failed with this reason, and a record. */
  leaveRefused(start: StartFlow, problem: Problem): Promise<void>
  /** Whether the run is under way or waits; false also if it is not there any more. */
  isOpen(id: string): Promise<boolean>
}
