/**
 * Every rule of the decision table has a question that it decides, and one like it that it leaves alone: taken away or
 * turned around, each of them is missed.
 */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Label } from '../../src/labels/label.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId } from '../../src/kernel/server-id.ts'
import type { Template, Verdict } from '../../src/kernel/tool-call.ts'
import type { ToolFacts } from '../../src/kernel/tool-facts.ts'
import type { Argument, Question } from '../../src/policy/question.ts'
import { type Rule, RULES } from '../../src/policy/rules.ts'

interface Row {
  readonly decides: Question
  readonly as: string
  /** It has nothing to say here. */
  readonly leaves: Question
}

const MINE: Label = { integrity: 'user', level: 'internal', origins: new Set() }
const FOREIGN: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['notes']) }
const OWN: Label = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) }

const TABLE: Readonly<Record<string, Row>> = {
  secrets: {
    decides: question({ args: [argument({ level: 'secret' })] }),
    as: 'deny secret',
    leaves: question({ args: [argument({ level: 'regulated' })] }),
  },
  template: {
    decides: question({ task: { template: template({ denied: ['mail.send'] }) } }),
    as: 'deny template.tool',
    leaves: question({ task: { template: template({}) } }),
  },
  availability: {
    decides: question({ facts: { blocked: 'quarantined' } }),
    as: 'deny tool.quarantined',
    leaves: question({}),
  },
  outsidePlan: {
    decides: question({ task: { expects: 'another' } }),
    as: 'deny tool.changed',
    leaves: question({ task: { expects: 'hash' } }),
  },
  regulatedFlow: {
    decides: question({ args: [argument({ ...OWN, level: 'regulated' })] }),
    as: 'ask flow.regulated',
    leaves: question({ args: [argument({ ...OWN, level: 'sensitive' })] }),
  },
  flow: {
    decides: question({ args: [argument(FOREIGN)] }),
    as: 'ask flow',
    leaves: question({ args: [argument(OWN)] }),
  },
  danger: {
    decides: question({ facts: { effect: 'destructive' } }),
    as: 'ask destructive',
    leaves: question({ facts: { effect: 'write' } }),
  },
  steered: {
    decides: question({ args: [argument(OWN, 'target')] }),
    as: 'ask target.external',
    leaves: question({ args: [argument(OWN, 'content')] }),
  },
  foreignPlan: {
    decides: question({ task: { plan: 'external' } }),
    as: 'ask plan.external',
    leaves: question({ task: { plan: 'endorsed' } }),
  },
  asTemplateWants: {
    decides: question({ task: { template: template({ asksForWrites: true }) } }),
    as: 'ask template.writes',
    leaves: question({ task: { template: template({}) } }),
  },
  write: {
    decides: question({ args: [argument(OWN)] }),
    as: 'allow write.content',
    leaves: question({ facts: { effect: 'remote-read' } }),
  },
  read: {
    decides: question({ facts: { effect: 'remote-read' } }),
    as: 'allow read.remote',
    leaves: question({ facts: { effect: 'write' } }),
  },
}

test('every rule is in the table of this test, in the order in which they are asked', () => {
  assert.deepEqual(RULES.map(({ name }) => name).sort(), Object.keys(TABLE).sort())
})

for (const rule of RULES) {
  test(`the rule ${JSON.stringify(rule.name)} decides what no other rule would decide alike`, () => {
    const row = TABLE[rule.name]
    assert.ok(row)
    assert.equal(show(first(RULES, row.decides)), row.as)
    const others = RULES.filter((other) => other !== rule)
    assert.notEqual(show(first(others, row.decides)), row.as)
    assert.equal(rule(row.leaves), undefined)
  })
}

function first(rules: readonly Rule[], question: Question): Verdict | undefined {
  for (const rule of rules) {
    const verdict = rule(question)
    if (verdict) return verdict
  }
  return undefined
}

function show(verdict: Verdict | undefined): string {
  return verdict ? `${verdict.kind} ${verdict.rule}` : 'none'
}

function argument(label: Partial<Label>, role: Argument['role'] = 'content'): Argument {
  return { name: 'a', role, label: { ...MINE, ...label }, isEndorsed: false }
}

function template(wishes: Partial<Template>): Template {
  return {
    name: 'nightly',
    allowed: ['mail.*'],
    denied: [],
    maxCalls: 9,
    ceiling: 'regulated',
    sinks: [],
    asksForWrites: false,
    ...wishes,
  }
}

interface Wishes {
  readonly args?: readonly Argument[]
  readonly facts?: Partial<ToolFacts>
  readonly task?: Partial<Question['task']>
}

/** The owner writes with words of his own, unless it says otherwise. */
function question({ args = [argument({})], facts, task }: Wishes): Question {
  return {
    principal: OWNER.kind,
    args,
    grants: [],
    facts: {
      id: { server: parseServerId('mail'), name: 'send' },
      serverName: 'Mail',
      effect: 'write',
      roles: new Map(),
      clearance: { own: 'sensitive', others: 'internal' },
      hash: 'hash',
      serverPin: 'pin',
      isVouchedFor: true,
      ...facts,
    },
    task: {
      id: 't',
      step: '1',
      plan: 'user',
      control: { integrity: 'user', bits: 0 },
      callsBefore: 0,
      ...task,
    },
  }
}
