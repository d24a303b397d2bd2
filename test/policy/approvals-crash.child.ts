/**
 * One process that calls a tool through the real door and the real approval queue, and kills itself at the step in its
 * orders. Its server counts on disk how often the tool ran.
 */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs'
import type { ApprovalRows } from '../../src/kernel/approval-port.ts'
import { callTool } from '../../src/kernel/call-tool.ts'
import { Capability } from '../../src/kernel/capability.ts'
import type { Servers } from '../../src/kernel/ports.ts'
import { openStore, type StoreOptions } from '../../src/store/open-store.ts'
import { dieHere, say } from '../fixtures/doomed-child.ts'
import { asked, never, openQueue } from './approvals-house.ts'

interface Orders {
  readonly place: Pick<StoreOptions, 'databaseUrl' | 'sqlitePath'>
  /** The file that gets one line for each execution of the tool. */
  readonly counter: string
  readonly dieAt?: 'asked' | 'answered' | 'spent' | 'before-call' | 'after-call'
}

const { place, counter, dieAt } = JSON.parse(process.argv[2] ?? '') as Orders
const log = { info() {}, warn() {}, error() {} }

function die(step: Orders['dieAt']): void {
  if (step === dieAt) dieHere()
}

function dying(rows: ApprovalRows): ApprovalRows {
  return {
    ...rows,
    async add(...question) {
      await rows.add(...question)
      say('asked')
      die('asked')
    },
    async spend(...approval) {
      die('answered')
      const isSpent = await rows.spend(...approval)
      if (isSpent) die('spent')
      return isSpent
    },
  }
}

const { request, facts, verdict, args } = asked()
const servers: Pick<Servers, 'know' | 'call' | 'misfit'> = {
  misfit: async () => undefined,
  know: () => facts,
  async call(capability) {
    Capability.redeem(capability, Date.now())
    die('before-call')
    const file = openSync(counter, 'a')
    writeSync(file, 'ran\n')
    fsyncSync(file)
    closeSync(file)
    die('after-call')
    return {
      kind: 'ok',
      value: 'done',
      label: { integrity: 'external', level: 'internal', origins: new Set() },
    }
  },
}

await using store = await openStore({ ...place, log })
const approvals = await openQueue({ approvals: dying(store.approvals), grants: store.grants }, [], {
  wall: 0,
  steady: 0,
})
const entry = { end: async <T>(result: T) => result, [Symbol.dispose]: () => undefined }
const result = await callTool(
  {
    policy: { decide: () => verdict, open: () => ({ verdict, args }) },
    audit: { begin: async () => entry },
    approvals,
    servers,
  },
  request,
  never,
)
say(result.kind === 'refused' ? `refused ${result.rule}` : result.kind)
