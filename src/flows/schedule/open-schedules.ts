/**
 * Saved flows that run on a schedule: put, listed, removed, and started when due. Each run has a `cron` principal, stays
 * within its template, and starts only while that template allows the sinks of the schedule.
 */
import { FILES } from '../../kernel/built-in-tools.ts'
import type { AuditEvent } from '../../kernel/audit-record.ts'
import type { Deliveries, Receipt } from '../../ports/delivery-port.ts'
import type { Flows } from '../../ports/flow-port.ts'
import type { FlowSchedule, NewSchedule, ScheduleRows } from '../../ports/schedule-port.ts'
import type { ScheduledRuns } from '../../ports/scheduled-runs-port.ts'
import type { Noticing } from '../../ports/notice-port.ts'
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Schedules, ShownSchedule } from '../../ports/schedule-port.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { attendSchedules } from './attend-schedules.ts'
import { isTime, nextTime, timeAfter } from './cron-times.ts'
import type { Presence } from './presence.ts'
import {
  noNextTime,
  unknownSink,
  unnamedSink,
  unsound,
  unknownTemplate,
  withoutFolder,
  withoutSinks,
} from './schedule-errors.ts'
import { remarksOn } from './remarks-on.ts'

export interface ScheduleDeps {
  readonly rows: ScheduleRows
  readonly flows: Pick<Flows, 'check' | 'start'> & ScheduledRuns
  /** The template as configured now; throws if it cannot be parsed. */
  template(name: string): Promise<Template | undefined>
  /** Whether the template names the sink. */
  isNamed(sink: string, template: Template): boolean
  /** Whether there is such a sink now, and the template names it. */
  isCleared(sink: string, template: Template): boolean
  readonly deliveries: Pick<Deliveries, 'expect' | 'tell' | 'receipts'>
  readonly audit: Pick<Audit, 'appendDurable'>
  /** The principal whose schedules these are, for the audit log. */
  readonly owner: PrincipalId
  /** Tells the owner what ran late. */
  readonly notices: Noticing
  readonly presence: Presence
  readonly log: Log
  readonly now: () => number
}

export interface OwnedSchedules extends Schedules, AsyncDisposable {}

export function openSchedules(deps: ScheduleDeps): OwnedSchedules {
  const { rows, owner, now } = deps
  const problems = new Map<string, string>()
  const ending = new AbortController()
  let changed = new AbortController()
  const wake = (): void => changed.abort()
  const attending = {
    ...deps,
    problems,
    firing: new Set<string>(),
    deferred: new Map<string, number>(),
    checkLimits: (one: FlowSchedule) => checkLimits(deps, one),
  }
  const running = attendSchedules(attending, ending.signal, () => {
    changed = new AbortController()
    return changed.signal
  })
  return {
    async put(schedule) {
      const remarks = await checkSchedule(deps, schedule)
      const made = { ...schedule, createdAt: now(), ...(await lastRunOf(rows, schedule.name)) }
      await deps.audit.appendDurable(madeEvent(owner, made))
      await rows.put(made)
      problems.delete(made.name)
      wake()
      return { ...show(made, {}, now()), remarks }
    },
    async list() {
      const all = await rows.list()
      const receipts = await deps.deliveries.receipts()
      const known = (name: string): Known => ({
        problem: problems.get(name),
        receipts: receipts.get(name),
      })
      return all.map((schedule) => show(schedule, known(schedule.name), now()))
    },
    async remove(name) {
      problems.delete(name)
      const wasThere = await rows.remove(name)
      if (wasThere) await deps.audit.appendDurable(event('flows.unscheduled', owner, name))
      return wasThere
    },
    now,
    async [Symbol.asyncDispose]() {
      ending.abort()
      wake()
      await running
    },
  }
}

/** A run of the schedule that is replaced may still be under way. Where that cannot be read, the new one does not wait. */
async function lastRunOf(
  rows: ScheduleRows,
  name: string,
): Promise<Pick<FlowSchedule, 'progress'>> {
  const { progress } = (await rows.list().catch(() => [])).find((one) => one.name === name) ?? {}
  return progress?.run === undefined
    ? {}
    : { progress: { until: 0, run: progress.run, missed: [], waiting: [] } }
}

/** Of a row that another Cordon or a person wrote. It is shown, and hides no other. */
function unreadable(schedule: FlowSchedule): string | undefined {
  const isReadable = !schedule.isDamaged && isTime(schedule)
  if (isReadable) return undefined
  const what = schedule.isDamaged ? 'Its row' : 'Its time'
  const { name } = schedule
  return `${what} cannot be read: schedule it again, or run \`cordon flow unschedule ${name}\``
}

function event(kind: AuditEvent['kind'], principal: PrincipalId, subject: string): AuditEvent {
  return { kind, principal, subject }
}

function madeEvent(principal: PrincipalId, made: FlowSchedule): AuditEvent {
  const { name, cron, timezone, template, sinks, overlap, catchUp } = made
  const details = { cron, timezone, template, sinks, overlap, catchUp }
  return { ...event('flows.scheduled', principal, name), details }
}

/** Sentences about what its runs will ask, or be refused. Throws if the schedule makes no sense. */
async function checkSchedule(
  deps: ScheduleDeps,
  schedule: NewSchedule,
): Promise<readonly string[]> {
  const { name, sinks, inputs } = schedule
  if (nextTime(schedule, deps.now()) === undefined) throw noNextTime(schedule.cron)
  if (sinks.length === 0) throw withoutSinks(name)
  const template = await checkLimits(deps, schedule)
  const unknown = sinks.find((sink) => !deps.isCleared(sink, template))
  if (unknown !== undefined) throw unknownSink(unknown)
  const source = { kind: 'saved', name } as const
  const never = new AbortController().signal
  const now = { now: true, template: template.name, inputs } as const
  const check = await deps.flows.check(source, Object.keys(inputs), never, now)
  const wrong = check.findings.find(({ severity }) => severity === 'error')
  if (wrong) throw unsound(name, wrong)
  const filing = check.steps.find(({ tool }) => tool.startsWith(`${FILES}.`))
  if (filing) throw withoutFolder(name, filing.node)
  return remarksOn(check, template)
}

/**
 * Checked against the current template, so a sink that the owner has removed since is refused. A person who is not
 * paired any more is no reason: the delivery finds that out, and the owner is told.
 */
async function checkLimits(
  deps: ScheduleDeps,
  { template: name, sinks }: Pick<FlowSchedule, 'template' | 'sinks'>,
): Promise<Template> {
  const template = await deps.template(name)
  if (!template) throw unknownTemplate(name)
  const missing = sinks.find((sink) => !deps.isNamed(sink, template))
  if (missing !== undefined) throw unnamedSink(missing, template.name)
  return template
}

interface Known {
  readonly problem?: string | undefined
  readonly receipts?: readonly Receipt[] | undefined
}

function show(stored: FlowSchedule, { receipts, ...known }: Known, now: number): ShownSchedule {
  const { createdAt, progress, isDamaged, ...schedule } = stored
  const next = isDamaged ? undefined : timeAfter(schedule, now)
  const problem = unreadable(stored) ?? known.problem
  const waiting = progress ? progress.missed.length + progress.waiting.length : 0
  return {
    ...schedule,
    createdAt: new Date(createdAt).toISOString(),
    ...(next !== undefined && { next: new Date(next).toISOString() }),
    ...(waiting > 0 && { waiting }),
    ...(problem !== undefined && { problem }),
    ...(receipts && { receipts }),
  }
}
