/** Flows that run at times the owner chose: non-interactive, within a template, to sinks that the owner named. */
import type { Json } from '../text/json.ts'
import type { Receipt } from './delivery-port.ts'

export interface ShownSchedule extends Omit<FlowSchedule, 'createdAt'> {
  readonly createdAt: string
  /** ISO time of the next run; absent if there will be none. */
  readonly next?: string
  /** Why the schedule does not run, such as a template that is gone. */
  readonly problem?: string
  /** The receipts of the latest run, one for each sink. */
  readonly receipts?: readonly Receipt[]
}

/** A schedule that was just made, with sentences about what its runs will ask, or be refused. */
export interface MadeSchedule extends ShownSchedule {
  readonly remarks: readonly string[]
}

/** Schedules, at most one per saved flow. After an absence each runs at most once late, and the owner is told. */
export interface Schedules {
  /** Replaces an earlier schedule. Refused if the flow, the template, a sink or the time is not known. */
  put(schedule: Omit<FlowSchedule, 'createdAt'>): Promise<MadeSchedule>
  list(): Promise<readonly ShownSchedule[]>
  remove(name: string): Promise<boolean>
}

/** The schedules of saved flows, on disk. */
export interface ScheduleRows {
  put(schedule: FlowSchedule): Promise<void>
  list(): Promise<readonly FlowSchedule[]>
  remove(name: string): Promise<boolean>
}
export interface FlowSchedule {
  /** The name of the saved flow; each flow has at most one schedule. */
  readonly name: string
  /** Five fields, or `2026-11-17T08:00:00` for a single run, after which the schedule is gone. */
  readonly cron: string
  readonly timezone: string
  readonly sinks: readonly string[]
  readonly template: string
  readonly inputs: Readonly<Record<string, Json>>
  readonly createdAt: number
  /** Of the times that passed while no kernel ran, the last one is made up for. */
  readonly catchUp: boolean
}
