/** The rooms around a chat that the tasks of a suite have little to do with: memory, profiles, definitions, notices. */
import assert from 'node:assert/strict'
import type { openPipelineRooms } from '../../src/house/pipeline-rooms.ts'
import type { Memory } from '../../src/ports/memory-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { createMemory } from '../../src/memory/create-memory.ts'
import { stateBlock } from '../../src/memory/state-block.ts'
import type { Store } from '../../src/store/open-store.ts'
import { MODEL_URL } from './scripted-fetch.ts'
import { SILENT } from './suite-door.ts'
import type { Suite } from './suite.ts'

export const none = (): never => assert.fail('nobody asks for that')

/** Ports that the tasks have nothing to do with. */
export const AROUND: Pick<
  Parameters<typeof openPipelineRooms>[0],
  'definitions' | 'profiles' | 'notices' | 'schedules' | 'deliveries'
> = {
  definitions: {
    load: async () => ({ servers: [], problems: [] }),
    count: none,
    stamp: () => '',
    add: none,
    edit: none,
    remove: none,
    migrate: none,
    undo: none,
    showProject: none,
    trustProject: none,
    findInProject: none,
    untrustProject: none,
  },
  profiles: {
    list: async () => [
      {
        name: 'default',
        provider: 'openai',
        url: MODEL_URL,
        model: 'oracle',
        isActive: true,
        isLocal: true,
        clearance: 'regulated',
        fallback: [],
        budget: {},
        today: { tokens: 0, cost: 0, seconds: 0 },
      },
    ],
  },
  notices: { raise: () => undefined, resolve: () => undefined },
  schedules: { put: none, list: async () => [], remove: async () => false, now: Date.now },
  deliveries: { expect: none, tell: none, receipts: async () => new Map(), resultText: none },
}

/** `more` is added to the state that every prompt begins with. */
export function memoryOver(store: Store, suite: Suite, more: () => string): Memory {
  const state = stateBlock({
    servers: [{ server: suite.suite, badge: 'connected', tools: suite.tools.length }],
    flows: [],
    runs: 0,
    schedules: [],
    channels: ['terminal'],
    grants: 0,
  })
  return createMemory(
    {
      owner: OWNER.id,
      rows: store.forOwner(OWNER.id).memory,
      audit: { appendDurable: async () => ({ seq: 0, hash: '' }) },
      log: SILENT,
      redactor: { redact: (text) => text, isIn: () => false },
      now: Date.now,
    },
    async () => state + more(),
  )
}
