/** Builds memory, the recording of turns, and the state that prompts begin with. Contains no rules. */
import type { ApiDeps } from '../api/server.ts'
import type { Flows } from '../ports/flow-port.ts'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import type { Servers } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import type { ConnectionPhase, Setup } from '../ports/setup-port.ts'
import { createMemory } from '../memory/create-memory.ts'
import { readOnChange } from '../memory/read-on-change.ts'
import { createRecordTurn } from '../memory/record-turns.ts'
import { type HouseState, stateBlock } from '../memory/state-block.ts'
import type { ConnectingRooms } from './connect-rooms.ts'

interface Around {
  readonly servers: Pick<Servers, 'states'>
  readonly setup: Pick<Setup, 'view'>
  readonly flows: Pick<Flows, 'saved' | 'countOpen'>
  readonly schedules: Pick<Schedules, 'list'>
  readonly queue: Pick<ApprovalQueue, 'grants'>
  readonly telegram: Pick<ApiDeps['telegram'], 'view'>
  readonly hasPage: boolean
}

export function createMemoryRooms(
  { audit, log, redactor, tables }: Pick<ConnectingRooms, 'log' | 'tables'> & KeptDeps,
  around: () => Around,
): Pick<ApiDeps, 'memory' | 'recordTurn'> {
  const owner = OWNER.id
  const deps = { owner, rows: tables.memory, audit, log, redactor, now: Date.now }
  const stored = createStoredState(tables, around)
  const memory = createMemory(deps, async () => stateBlock(await readState(around(), stored)))
  const isSecretAsked = () => around().setup.view()?.question?.isSecret === true
  return { memory, recordTurn: createRecordTurn({ owner, memory, log, isSecretAsked }) }
}

type KeptDeps = Pick<Parameters<typeof createMemory>[0], 'audit' | 'redactor'>

const ENDED: ReadonlySet<ConnectionPhase> = new Set(['connected', 'failed', 'cancelled'])

interface StoredState {
  readonly flows: () => Promise<readonly string[]>
  readonly schedules: () => Promise<readonly string[]>
  readonly grants: () => Promise<readonly { readonly expiresAt: number }[]>
}

function createStoredState(
  { stamp }: Pick<ConnectingRooms['tables'], 'stamp'>,
  around: () => Around,
): StoredState {
  const names = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name)
  return {
    flows: readOnChange(
      () => stamp(['saved_flow']),
      async () => names(await around().flows.saved()),
    ),
    schedules: readOnChange(
      () => stamp(['flow_schedule']),
      async () => names(await around().schedules.list()),
    ),
    grants: readOnChange(
      () => stamp(['standing_grant', 'grant_use']),
      () => around().queue.grants(),
    ),
  }
}

async function readState(around: Around, stored: StoredState): Promise<HouseState> {
  const { servers, setup, flows } = around
  const view = setup.view()
  const now = Date.now()
  return {
    servers: await servers.states('briefly'),
    ...(view && !ENDED.has(view.phase) && { connecting: view.service }),
    flows: await stored.flows(),
    runs: await flows.countOpen(),
    schedules: await stored.schedules(),
    channels: await openChannels(around),
    grants: (await stored.grants()).filter(({ expiresAt }) => expiresAt > now).length,
  }
}

async function openChannels({ telegram, hasPage }: Around): Promise<readonly string[]> {
  const { state } = await telegram.view()
  return ['terminal', ...(hasPage ? ['page'] : []), ...(state === 'off' ? [] : ['telegram'])]
}
