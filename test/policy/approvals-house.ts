/** An approval queue over a real store, with a clock that can be moved and audit events that can be read. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Asked } from '../../src/kernel/approval.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import type { Json } from '../../src/text/json.ts'
import type { Label } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { factsOf } from '../../src/kernel/test-facts.ts'
import type { GrantOffer, Task } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import { type OwnedApprovals, openApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'

export { never } from '../../src/kernel/test-never.ts'

export const SECRET = 'canary-of-the-vault'
const log = { info() {}, warn() {}, error() {} }

/** Offsets in milliseconds, added to the wall clock and to the monotonic clock; each can be moved alone. */
export interface TestClock {
  wall: number
  steady: number
}

export interface ApprovalsHouse extends AsyncDisposable {
  /** The file of the store. */
  readonly path: string
  readonly store: Store
  readonly approvals: OwnedApprovals
  readonly events: AuditEvent[]
  readonly clock: TestClock
  /** Secrets on lease, which the redactor hides. */
  readonly lent: Set<string>
  /** Addresses that became contacts. */
  readonly friends: string[]
  /** A second queue over the same store, as another process would open it. */
  another(): Promise<OwnedApprovals>
}

export async function openApprovalsHouse(): Promise<ApprovalsHouse> {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-approvals-'))
  const file = path.join(folder, 'state.db')
  const store = await openStore({ sqlitePath: file, log })
  const events: AuditEvent[] = []
  const clock: TestClock = { wall: 0, steady: 0 }
  const lent = new Set([SECRET])
  const friends: string[] = []
  const befriend = async (address: string) => friends.push(address)
  const open = () => openQueue(store, events, clock, lent, befriend)
  return {
    path: file,
    store,
    approvals: await open(),
    events,
    clock,
    lent,
    friends,
    another: open,
    async [Symbol.asyncDispose]() {
      await store[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
  }
}

export async function openQueue(
  store: Pick<Store, 'approvals' | 'grants'>,
  events: AuditEvent[],
  clock: TestClock,
  lent: ReadonlySet<string> = new Set(),
  befriend?: (address: string) => Promise<unknown>,
): Promise<OwnedApprovals> {
  const append = (event: AuditEvent) => {
    events.push(event)
    return { seq: events.length, hash: '' }
  }
  return await openApprovals({
    owner: OWNER.id,
    rows: store.approvals,
    grants: store.grants,
    audit: { append, appendDurable: async (event) => append(event), damage: undefined },
    redactor: {
      redact: (text) => [...lent].reduce((so, one) => so.replaceAll(one, '[redacted]'), text),
    },
    ...(befriend && { befriend }),
    now: () => Date.now() + clock.wall,
    monotonic: () => performance.now() + clock.steady,
    pollMs: 20,
  })
}

export const OWN: Label = { integrity: 'user', level: 'internal', origins: new Set() }
export const FOREIGN: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set(['notes']),
}

export interface Wishes {
  readonly args?: Readonly<Record<string, Json>>
  readonly label?: Label
  readonly offers?: readonly GrantOffer[]
  readonly about?: readonly string[]
  readonly facts?: Partial<ToolFacts>
  readonly task?: Partial<Task>
  readonly callId?: string
  readonly server?: string
  readonly tool?: string
}

/** A call that the policy has judged, and that needs the owner's approval. */
export function asked(wishes: Wishes = {}): Asked {
  const { args = { to: 'eve@evil.example' }, label = FOREIGN, callId = 'c1' } = wishes
  const id = { server: parseServerId(wishes.server ?? 'mail'), name: wishes.tool ?? 'send' }
  const labelled = Object.entries(args).map(([name, value]) => {
    return [name, new Labelled(value, { label })] as const
  })
  return {
    request: {
      callId,
      principal: OWNER,
      tool: id,
      args: Object.fromEntries(labelled),
      task: {
        id: 'task-1',
        step: '1',
        plan: 'user',
        control: { integrity: 'user', bits: 0 },
        callsBefore: 0,
        ...wishes.task,
      },
    },
    facts: factsOf({
      id,
      roles: new Map([['body', 'content']]),
      hash: 'h1',
      serverPin: 'p1',
      ...wishes.facts,
    }),
    verdict: {
      kind: 'ask',
      rule: 'target.external',
      reason: '"to" was chosen by words that are not yours',
      args: wishes.about ?? Object.keys(args),
      offers: wishes.offers ?? ['endorse'],
    },
    args,
  }
}

/** Waits until `count` questions are open, and returns them. */
export async function openQuestions(
  approvals: OwnedApprovals,
  count = 1,
): Promise<readonly ShownApproval[]> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const open = await approvals.list(false)
    if (open.length >= count) return open
    if (Date.now() > deadline) throw new Error(`only ${open.length} questions are open`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

export async function openQuestion(approvals: OwnedApprovals): Promise<ShownApproval> {
  const [question] = await openQuestions(approvals)
  if (!question) throw new Error('unreachable')
  return question
}

/** Allows every item of the open question. */
export async function allow(
  approvals: OwnedApprovals,
  grant?: GrantOffer,
): ReturnType<OwnedApprovals['answer']> {
  const { id, items } = await openQuestion(approvals)
  const digests = items.map(({ digest }) => digest.slice(0, 8))
  const answer = { id, allow: digests, by: OWNER.id, ...(grant && { grant }) }
  return await approvals.answer(answer, 'terminal')
}
