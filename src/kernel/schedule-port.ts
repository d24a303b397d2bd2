/** Flows that run at times the owner chose: non-interactive, within a template, to sinks that the owner named. */
import type { FlowSchedule } from './flow-port.ts'

export interface ShownSchedule extends Omit<FlowSchedule, 'createdAt'> {
  readonly createdAt: string
  /** ISO time of the next run; absent if there will be none. */
  readonly next?: string
  /** Why the schedule does not run, such as a template that is gone. */
  readonly problem?: string
}

/** Schedules, at most one per saved flow. A run that is missed while no kernel runs is not made up for. */
export interface Schedules {
  /** Replaces an earlier schedule. Refused if the flow, the template, a sink or the time is not known. */
  put(schedule: Omit<FlowSchedule, 'createdAt'>): Promise<ShownSchedule>
  list(): Promise<readonly ShownSchedule[]>
  remove(name: string): Promise<boolean>
}
