/** Flows that run at times the owner chose: non-interactive, within a template, to sinks that the owner named. */
import type { Json } from '../text/json.ts'
import type { CatchUp, Overlap } from '../text/say-rules.ts'
import type { Receipt } from './delivery-port.ts'

export interface ShownSchedule extends Omit<FlowSchedule, 'createdAt' | 'progress' | 'isDamaged'> {
  readonly createdAt: string
  /** How many times wait for a run to end, or are still to be made up for. */
  readonly waiting?: number
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

/** Schedules, at most one per saved flow. What passed during an absence is made up for by rule, and the owner is told. */
export interface Schedules {
  /** Replaces an earlier schedule. Refused if its runs could not start as things are now. */
  put(schedule: NewSchedule): Promise<MadeSchedule>
  list(): Promise<readonly ShownSchedule[]>
  remove(name: string): Promise<boolean>
  /** The clock by which times come, in milliseconds since 1970: that of the database where kernels share one. */
  now(): number
}

/** The schedules of saved flows, on disk. */
export interface ScheduleRows {
  put(schedule: FlowSchedule): Promise<void>
  /** Compare and set: false if the schedule was replaced, or another kernel changed its progress since it was read. */
  advance(schedule: FlowSchedule, progress: ScheduleProgress): Promise<boolean>
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
  readonly overlap: Overlap
  readonly catchUp: CatchUp
  /** Its row cannot be read: it never runs, and can be replaced or removed. */
  readonly isDamaged?: true
  /** Absent until its first time came. */
  readonly progress?: ScheduleProgress
}

export type NewSchedule = Omit<FlowSchedule, 'createdAt' | 'progress' | 'isDamaged'>

/** How far a schedule is. Times are in milliseconds since 1970. */
export interface ScheduleProgress {
  /** Times up to this one have been started, put off or left out. */
  readonly until: number
  /** The id of its latest run. */
  readonly run?: string
  /** Times of an absence that are still to be made up for, oldest first. */
  readonly missed: readonly number[]
  /** Times that came while a run was under way, oldest first. */
  readonly waiting: readonly number[]
}
