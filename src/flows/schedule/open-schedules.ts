/**
 * Starts saved flows on a schedule. Each run has a `cron` principal, stays within its template, and starts only while
 * that template allows the sinks of the schedule. Its id is derived from schedule and time, so two kernels on one
 * database start it once. A time that passed while no kernel was running is not made up for.
 */
import { createHash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type { AuditEvent } from '../../kernel/audit-record.ts'
import type { FlowSchedule, Flows, ScheduleRows } from '../../kernel/flow-port.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import { parsePrincipalId, type Principal, type PrincipalId } from '../../kernel/principal.ts'
import type { Schedules, ShownSchedule } from '../../kernel/schedule-port.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { nextTime } from './cron-times.ts'
import { missingSink, unknownTemplate, unsound, withoutSinks } from './schedule-errors.ts'

export interface ScheduleDeps {
  readonly rows: ScheduleRows
  readonly flows: Pick<Flows, 'check' | 'start'>
  /** The template as configured now; throws if it cannot be parsed. */
  template(name: string): Promise<Template | undefined>
  /** Whether the results of a task with this template may go to the sink at all. */
  isCleared(sink: string, template: Template): boolean
  readonly audit: Pick<Audit, 'appendDurable'>
  /** The principal whose schedules these are, for the audit log. */
  readonly owner: PrincipalId
  readonly log: Log
  readonly now: () => number
}

/** Polling interval: another kernel on a shared database may change the schedules. */
const LOOK_MS = 20_000
/** A start that is later than this is skipped, for example after the machine was suspended. */
const LATE_MS = 60_000

export interface OwnedSchedules extends Schedules, AsyncDisposable {}

export function openSchedules(deps: ScheduleDeps): OwnedSchedules {
  const { rows, owner, now } = deps
  const problems = new Map<string, string>()
  const ending = new AbortController()
  let changed = new AbortController()
  const wake = (): void => changed.abort()
  const running = attend(deps, problems, ending.signal, () => {
    changed = new AbortController()
    return changed.signal
  })
  return {
    async put(schedule) {
      await checkSchedule(deps, schedule)
      const made = { ...schedule, createdAt: now() }
      const { name, cron, timezone, template, sinks } = made
      const details = { cron, timezone, template, sinks }
      await deps.audit.appendDurable({ ...event('flows.scheduled', owner, name), details })
      await rows.put(made)
      problems.delete(made.name)
      wake()
      return show(made, undefined, now())
    },
    async list() {
      const all = await rows.list()
      return all.map((schedule) => show(schedule, problems.get(schedule.name), now()))
    },
    async remove(name) {
      problems.delete(name)
      const wasThere = await rows.remove(name)
      if (wasThere) await deps.audit.appendDurable(event('flows.unscheduled', owner, name))
      return wasThere
    },
    async [Symbol.asyncDispose]() {
      ending.abort()
      wake()
      await running
    },
  }
}

function event(kind: AuditEvent['kind'], principal: PrincipalId, subject: string): AuditEvent {
  return { kind, principal, subject }
}

async function checkSchedule(
  deps: ScheduleDeps,
  schedule: Omit<FlowSchedule, 'createdAt'>,
): Promise<void> {
  const { name, sinks, inputs } = schedule
  nextTime(schedule, deps.now())
  if (sinks.length === 0) throw withoutSinks(name)
  await checkLimits(deps, schedule)
  const source = { kind: 'saved', name } as const
  const { findings } = await deps.flows.check(
    source,
    Object.keys(inputs),
    new AbortController().signal,
  )
  const wrong = findings.find(({ severity }) => severity === 'error')
  if (wrong) throw unsound(name, wrong)
}

/** Checked against the current template, so a sink that the owner has removed since is refused. */
async function checkLimits(
  deps: ScheduleDeps,
  { template: name, sinks }: Pick<FlowSchedule, 'template' | 'sinks'>,
): Promise<void> {
  const template = await deps.template(name)
  if (!template) throw unknownTemplate(name)
  const missing = sinks.find((sink) => !deps.isCleared(sink, template))
  if (missing !== undefined) throw missingSink(missing, template.name)
}

function show(
  { createdAt, ...schedule }: FlowSchedule,
  problem: string | undefined,
  now: number,
): ShownSchedule {
  const next = nextTime(schedule, now)
  return {
    ...schedule,
    createdAt: new Date(createdAt).toISOString(),
    ...(next !== undefined && { next: new Date(next).toISOString() }),
    ...(problem !== undefined && { problem }),
  }
}

/** Starts due runs until `signal` aborts. A failing schedule is reported and stops no other. */
async function attend(
  deps: ScheduleDeps,
  problems: Map<string, string>,
  signal: AbortSignal,
  onChange: () => AbortSignal,
): Promise<void> {
  let since = deps.now()
  const starting = new Set<Promise<void>>()
  while (!signal.aborted) {
    const change = onChange()
    const schedules = await readRows(deps)
    const until = deps.now()
    for (const schedule of schedules ?? []) {
      // Not awaited: a slow start must not delay the other schedules.
      const one = fire(deps, problems, schedule, { since, until, signal })
      starting.add(one)
      void one.finally(() => starting.delete(one))
    }
    // After a failed read `since` stays, so that no due time is lost.
    if (schedules) since = until
    const waitMs = untilNext(schedules ?? [], until)
    await pause(waitMs, undefined, { signal: change, ref: false }).catch(() => undefined)
  }
  await Promise.all(starting)
}

async function readRows({ rows, log }: ScheduleDeps): Promise<readonly FlowSchedule[] | undefined> {
  try {
    return await rows.list()
  } catch (error) {
    log.warn('Cannot read the schedules', { error })
    return undefined
  }
}

function untilNext(schedules: readonly FlowSchedule[], now: number): number {
  const times = schedules.map((schedule) => timeAfter(schedule, now) ?? Number.POSITIVE_INFINITY)
  return Math.min(LOOK_MS, Math.max(0, Math.min(...times) - now))
}

/** A schedule that no longer parses, for example after an update, is never due. */
function timeAfter(schedule: FlowSchedule, after: number): number | undefined {
  try {
    return nextTime(schedule, after)
  } catch {
    return undefined
  }
}

interface Look {
  readonly since: number
  readonly until: number
  readonly signal: AbortSignal
}

async function fire(
  deps: ScheduleDeps,
  problems: Map<string, string>,
  schedule: FlowSchedule,
  { since, until, signal }: Look,
): Promise<void> {
  const due = timeAfter(schedule, Math.max(since, schedule.createdAt, until - LATE_MS))
  if (due === undefined || due > until) return
  const { name, inputs, template } = schedule
  const { flows, log } = deps
  try {
    await checkLimits(deps, schedule)
    const start = {
      id: runIdFor(schedule, due),
      source: { kind: 'saved', name } as const,
      principal: principalOf(name),
      inputs,
      approval: 'wait' as const,
      useCache: true,
      trust: [],
      template,
    }
    await flows.start(start, signal)
    problems.delete(name)
  } catch (error) {
    log.warn('A scheduled flow did not start', { flow: name, error })
    problems.set(name, error instanceof Error ? error.message : 'it did not start')
  }
}

/** A principal that is no person; its name is for the audit log. */
function principalOf(name: string): Principal {
  const word = name.replace(/[^A-Za-z0-9._@+-]/g, '-').slice(0, 100)
  return { kind: 'cron', id: parsePrincipalId(`principal:cron:${word}`) }
}

/** A UUID of version 8 (RFC 9562) from a hash, so that every kernel computes the same id. */
function runIdFor({ name, cron, timezone, createdAt }: FlowSchedule, due: number): string {
  const text = JSON.stringify([name, cron, timezone, createdAt, due])
  const hex = createHash('sha256').update(text).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
