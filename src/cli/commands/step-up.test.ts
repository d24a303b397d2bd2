import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowCheck } from '../../ports/flow-port.ts'
import { type Answers, runFake } from '../fake-surface.ts'

const CHECK: FlowCheck = {
  isSound: true,
  findings: [
    { code: 'plan.x', severity: 'note', place: '', message: 'Something else', hint: '' },
    {
      code: 'servers.no-scope',
      severity: 'warning',
      place: 'notes',
      message: 'notes needs the permission write',
      hint: 'Sign in',
    },
  ],
  needs: [],
  steps: [],
  safety: { effect: 'remote-read', level: 'public', sinks: [] },
  ir: {},
}

const END = { id: 'r', flow: 'f', state: 'completed', principal: 'owner', startedAt: '' }
const VIEW = { connection: 'c', service: 'notes', title: 'Notes', expiresAt: '', version: 1 }

const STEPS = {
  'flows.list': async () => ({ flows: [] }),
  'flows.nodes': async () => ({ nodes: [] }),
  'flows.check': async () => CHECK,
  'flows.start': async () => END,
  'flows.follow': async () => ({ run: END, events: [] }),
  'flows.show': async () => ({ ...END, outputs: {} }),
  'connect.start': async () => ({ ...VIEW, phase: 'connected', said: ['✓ Notes connected.'] }),
} as unknown as Answers

/** The routes that begin something. */
const routesOf = ({ calls }: { readonly calls: readonly (readonly unknown[])[] }) =>
  calls.map(([route]) => route).filter((route) => String(route).endsWith('start'))

test('stepUpBefore() asks once for a permission that a flow lacks, signs in, and the flow runs', async () => {
  const asked = { isTTY: true, question: /then run the flow/ }
  const yes = await runFake(['run', 'mcp-notes-add'], STEPS, { ...asked, typed: 'y' })
  assert.match(yes.stderr, /notes needs the permission write/)
  assert.deepEqual(routesOf(yes).slice(0, 2), ['connect.start', 'flows.start'])
  assert.equal(yes.code, 0)
  const no = await runFake(['run', 'mcp-notes-add'], STEPS, { ...asked, typed: 'n' })
  assert.equal(routesOf(no)[0], 'flows.start', 'which says what is missing')
})

test('stepUpBefore() asks nobody without a terminal', async () => {
  assert.equal(routesOf(await runFake(['run', 'mcp-notes-add'], STEPS))[0], 'flows.start')
  const json = await runFake(['run', 'mcp-notes-add', '--json'], STEPS, { isTTY: true })
  assert.equal(routesOf(json)[0], 'flows.start')
})
