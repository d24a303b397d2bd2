/** Schedules over rows in memory, with a clock that can be moved; for tests of this room. Never part of the program. */
import { once } from 'node:events'
import type { ExpectedResult, Receipt, ToldLine } from '../../ports/delivery-port.ts'
import type { FlowCheck, FlowRun, StartFlow } from '../../ports/flow-port.ts'
import type { FlowSchedule } from '../../ports/schedule-port.ts'
import { OWNER } from '../../kernel/principal.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { openSchedules, type OwnedSchedules, type ScheduleDeps } from './open-schedules.ts'

const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['notes.*'],
  denied: [],
  maxCalls: 5,
  ceiling: 'internal',
  sinks: ['sink:owner'],
  asksForWrites: true,
}
export const EVERY_MINUTE: Omit<FlowSchedule, 'createdAt'> = {
  name: 'digest',
  cron: '* * * * *',
  timezone: 'UTC',
  sinks: ['sink:owner'],
  template: 'nightly',
  inputs: { query: 'x' },
  overlap: 'skip',
  catchUp: 'once',
}
export const SOUND: FlowCheck = {
  isSound: true,
  findings: [],
  needs: [],
  steps: [],
  safety: { effect: 'local-read', level: 'internal', sinks: [] },
  ir: {},
}

const RECEIPT: Receipt = { sink: 'sink:owner', state: 'delivered', at: '2030-01-01T08:00:01.000Z' }

interface Failing {
  reason?: string
  /** The flow whose start never resolves. */
  hangs?: string
  /** Reading the schedules fails. */
  isUnreadable?: boolean
  /** The check of the flow for now and within its template, if it is not sound. */
  check?: FlowCheck
  /** The owner has removed the sink from the template. */
  isWithoutSink?: boolean
}

export interface World {
  readonly starts: StartFlow[]
  readonly warnings: string[]
  readonly rows: Map<string, FlowSchedule>
  readonly open: () => OwnedSchedules
  readonly failing: Failing
  readonly records: string[]
  /** The time until which schedules were attended, as stored. */
  readonly presence: { at?: number }
  readonly notices: string[]
  /** Results on their way, and lines that were told. */
  readonly expected: ExpectedResult[]
  readonly told: ToldLine[]
  /** Ids of runs that are under way, and the runs that were left for starts that failed. */
  readonly underWay: Set<string>
  readonly refused: { readonly id: string; readonly message: string }[]
  at: number
  readonly began: number
}

/** A clock that starts just before a full minute and then runs in real time. */
export function createWorld(beforeMs = 800): World {
  const world: World = {
    starts: [],
    warnings: [],
    rows: new Map(),
    failing: {},
    records: [],
    presence: {},
    notices: [],
    expected: [],
    told: [],
    underWay: new Set(),
    refused: [],
    began: Date.now(),
    at: Date.parse('2030-01-01T08:59:00Z') + 60_000 - beforeMs,
    open: () => openSchedules({ ...storeOf(world), ...flowsOf(world), ...tellingOf(world) }),
  }
  return world
}

function storeOf({ rows, failing, presence }: World): Pick<ScheduleDeps, 'rows' | 'presence'> {
  return {
    rows: {
      put: async (schedule) => void rows.set(schedule.name, schedule),
      async advance({ name, createdAt, progress: before }, progress) {
        const row = rows.get(name)
        const isSame = JSON.stringify(row?.progress) === JSON.stringify(before)
        if (!row || row.createdAt !== createdAt || !isSame) return false
        rows.set(name, { ...row, progress })
        return true
      },
      async list() {
        if (failing.isUnreadable) throw new Error('away')
        return [...rows.values()]
      },
      remove: async (name) => rows.delete(name),
    },
    presence: {
      read: async () => presence.at,
      keep: async (at) => void (presence.at = at),
    },
  }
}

function flowsOf({
  failing,
  starts,
  underWay,
  refused,
}: World): Pick<ScheduleDeps, 'flows' | 'template' | 'isCleared' | 'isNamed'> {
  return {
    flows: {
      check: async (_source, _given, _signal, checkedFor) => {
        const isLookedAt = checkedFor?.now && checkedFor.template === TEMPLATE.name
        return isLookedAt ? (failing.check ?? SOUND) : SOUND
      },
      start: async (start, signal) => {
        const { source } = start
        if (source.kind === 'saved' && source.name === failing.hangs) await once(signal, 'abort')
        if (failing.reason !== undefined) throw new Error(failing.reason)
        starts.push(start)
        return {} as FlowRun
      },
      isOpen: async (id) => underWay.has(id),
      leaveRefused: async ({ id }, { message }) => void refused.push({ id, message }),
    },
    template: async (name) => {
      if (name !== 'nightly') return undefined
      return failing.isWithoutSink ? { ...TEMPLATE, sinks: [] } : TEMPLATE
    },
    isNamed: (sink, { sinks }) => sinks.includes(sink),
    isCleared: (sink, { sinks }) => sink === 'sink:owner' && sinks.includes(sink),
  }
}

type Telling = Pick<ScheduleDeps, 'audit' | 'owner' | 'notices' | 'deliveries' | 'log' | 'now'>

function tellingOf(world: World): Telling {
  const { records, notices, warnings, began } = world
  return {
    audit: {
      appendDurable: async ({ kind, subject }) => {
        records.push(`${kind} ${subject}`)
        return { seq: 1, hash: '' }
      },
    },
    owner: OWNER.id,
    notices: {
      raise: (kind, about, items, why) =>
        void notices.push(`${about}:${kind} ${items?.join(', ')} ${why}`),
      resolve: (kind, about) => void notices.push(`${about}:${kind} over`),
    },
    deliveries: {
      expect: async (result) => void world.expected.push(result),
      tell: async (line) => void world.told.push(line),
      receipts: async () => new Map([['digest', [RECEIPT]]]),
    },
    log: { info() {}, error() {}, warn: (message) => void warnings.push(message) },
    now: () => world.at + Date.now() - began,
  }
}

export const later = (ms: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, ms))
