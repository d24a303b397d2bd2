/** Flows that run by themselves, at times the owner chose: as nobody in person, within a template, for sinks he named. */
import type { FlowSchedule } from './flow-port.ts'

export interface ShownSchedule extends Omit<FlowSchedule, 'createdAt'> {
  readonly createdAt: string
  /** ISO; absent where there will be none. */
  readonly next?: string
  /** Why it does not run, such as a template that is gone. */
  readonly problem?: string
}

/** Schedules, one per saved flow at most. A time that passes while no kernel runs is not made up for. */
export interface Schedules {
  /** Refused where the flow, the template, a sink or the time is not known. Replaces an earlier one. */
  put(schedule: Omit<FlowSchedule, 'createdAt'>): Promise<ShownSchedule>
  list(): Promise<readonly ShownSchedule[]>
  remove(name: string): Promise<boolean>
}
