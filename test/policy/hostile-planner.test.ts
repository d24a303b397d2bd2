/**
 * A planner under the attacker's control, for example through a poisoned definition: it writes any plan over any
 * servers, with any references between their answers. If the owner refuses every question, nothing is changed, and no
 * data of one server reaches another server that could send it out.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { callTool } from '../../src/kernel/call-tool.ts'
import type { Effect } from '../../src/kernel/effect.ts'
import type { Label } from '../../src/labels/label.ts'
import { Labelled } from '../../src/labels/labelled.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import { factsOf } from '../../src/kernel/test-facts.ts'
import { never } from '../../src/kernel/test-never.ts'
import { type Role, ROLES, type ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { CallRequest } from '../../src/kernel/tool-call.ts'
import { EFFECTS } from '../../src/kernel/effect.ts'
import { createHouse, type House } from '../../bench/agentdojo/fake-house.ts'
import { rounds } from '../../src/kernel/test-rounds.ts'

const SERVERS = ['mail', 'notes', 'web'] as const

interface HostileStep {
  readonly server: (typeof SERVERS)[number]
  readonly effect: Effect
  readonly role: Role
  /** Pieces of the single argument: a text of the planner's own, or the answer to an earlier step. */
  readonly pieces: readonly (string | number)[]
  readonly shape: 'text' | 'list' | 'object'
}

const steps: fc.Arbitrary<readonly HostileStep[]> = fc.array(
  fc.record({
    server: fc.constantFrom(...SERVERS),
    effect: fc.constantFrom<Effect[]>('remote-read', 'local-read', ...EFFECTS),
    role: fc.constantFrom(...ROLES),
    pieces: fc.array(fc.oneof(fc.constantFrom('go', 'look'), fc.nat(5)), {
      minLength: 1,
      maxLength: 3,
    }),
    shape: fc.constantFrom('text', 'list', 'object'),
  }),
  { minLength: 1, maxLength: 6 },
)

test('a hostile planner changes nothing and carries nothing across, when the owner says no', async () => {
  let reads = 0
  await fc.assert(
    fc.asyncProperty(
      steps,
      fc.constantFrom('public', 'internal', 'sensitive'),
      async (plan, level) => {
        const house = await play(plan, level)
        for (const { callId, tool, args } of house.reached) {
          const step = plan[Number(callId)] as HostileStep
          assert.ok(step.effect.endsWith('read'), `${step.effect} reached ${tool.server}`)
          reads += 1
          if (step.effect === 'local-read') continue
          const foreign = SERVERS.filter((one) => one !== tool.server)
          for (const one of foreign) assert.ok(!JSON.stringify(args).includes(markOf(one)))
        }
      },
    ),
    { numRuns: rounds(3000, 1000) },
  )
  assert.ok(reads > 1000, 'reading at home goes on')
})

async function play(plan: readonly HostileStep[], level: Label['level']): Promise<House> {
  const house = createHouse({
    facts: ({ name }) => factsFor(plan[Number(name)] as HostileStep, name),
    answer: ({ tool, args }) => {
      const label = labelOf(tool.server, level)
      // Every server repeats its arguments, so that a value tries to pass through it without its label.
      const value = `${markOf(tool.server)} says ${JSON.stringify(args)}`
      return { value, label, labels: { label } }
    },
    owner: () => false,
  })
  const answers: (Labelled | undefined)[] = []
  for (const [at, step] of plan.entries()) {
    const result = await callTool(house.rooms, requestOf(step, at, answers), never)
    answers.push(result.kind === 'ok' ? result.value : undefined)
  }
  return house
}

function requestOf(
  { server, pieces, shape }: HostileStep,
  at: number,
  answers: readonly (Labelled | undefined)[],
): CallRequest {
  const parts = pieces.map((piece) =>
    typeof piece === 'string'
      ? new Labelled(piece, { label: PLANNED })
      : (answers[piece] ?? new Labelled('nothing', { label: PLANNED })),
  )
  const value =
    shape === 'list'
      ? Labelled.list(parts, PLANNED)
      : shape === 'object'
        ? Labelled.object(Object.fromEntries(parts.map((one, nth) => [`p${nth}`, one])), PLANNED)
        : Labelled.text(parts, PLANNED)
  return {
    callId: String(at),
    principal: OWNER,
    tool: { server: parseServerId(server), name: String(at) },
    args: { value },
    task: {
      id: 't',
      step: String(at),
      plan: 'external',
      control: { integrity: 'user', bits: 0 },
      callsBefore: at,
    },
  }
}

/** The label of a text that the planner wrote: external, but without an origin, as a planner sees handles, not data. */
const PLANNED: Label = { integrity: 'external', level: 'internal', origins: new Set() }

function labelOf(server: string, level: Label['level']): Label {
  return { integrity: 'external', level, origins: new Set([server]) }
}

function markOf(server: string): string {
  return `<${server}>`
}

function factsFor({ server, effect, role }: HostileStep, name: string): ToolFacts {
  return factsOf({
    id: { server: parseServerId(server), name },
    serverName: server,
    effect,
    roles: new Map([['value', role]]),
    clearance: { own: 'sensitive', others: effect === 'local-read' ? 'sensitive' : 'internal' },
    isVouchedFor: false,
  })
}
