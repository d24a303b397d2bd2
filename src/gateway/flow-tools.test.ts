import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../kernel/test-never.ts'
import type { FlowRun, StartFlow } from '../ports/flow-port.ts'
import { createSession, raiseLabel } from './client-session.ts'
import { createFlowTools, type FlowToolsDeps } from './flow-tools.ts'

const CLIENT = { name: 'claude', taint: 'ask', createdAt: '' } as const
const ASKING: FlowRun = {
  id: 'run-1',
  flow: 'a',
  state: 'asking',
  principal: 'principal:client:claude',
  startedAt: '',
  stepsDone: 0,
}

/** A run that waits for its owner and never ends. */
function house() {
  const started: StartFlow[] = []
  const cancelled: string[] = []
  const flows = {
    async start(start: StartFlow) {
      started.push(start)
      return ASKING
    },
    async follow(_id: string, _after: number, signal: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      if (signal.aborted) resolve()
      else signal.addEventListener('abort', () => resolve())
      await promise
      return { run: ASKING, events: [] }
    },
    async cancel(id: string) {
      cancelled.push(id)
      return ASKING
    },
  } as unknown as FlowToolsDeps['flows']
  const [runFlow] = createFlowTools({ flows, views: { limitsOf: () => ({}) } })
  return { runFlow: runFlow ?? assert.fail('there is none'), started, cancelled }
}

const callOffered = async () => ({})

test('a run that waits longer than its client goes on, and says how to ask for it again', async () => {
  const { runFlow, cancelled, started } = house()
  const leaving = new AbortController()
  const session = createSession(CLIENT)
  const args = { flow: 'a' }
  const call = { session, args, callOffered, leave: leaving.signal, signal: never }
  const answering = runFlow.call(call)
  leaving.abort()
  const answer = await answering
  assert.match(JSON.stringify(answer), /waits for the owner.*run-1/)
  assert.deepEqual(cancelled, [])
  assert.equal(started[0]?.words?.integrity, 'user')
  assert.equal(started[0]?.template, `client:claude@${CLIENT.createdAt}`)
})

test('a run whose client gave the call up begins no further step', async () => {
  const { runFlow, cancelled } = house()
  const gone = new AbortController()
  const session = createSession(CLIENT)
  const call = { session, args: { flow: 'a' }, callOffered, leave: never, signal: gone.signal }
  const answering = runFlow.call(call)
  gone.abort()
  await answering
  assert.deepEqual(cancelled, ['run-1'])
})

test('GATE-6: a flow is started with the label of what the client has read, and as `deny` without questions', async () => {
  const { runFlow, started } = house()
  const session = createSession({ ...CLIENT, taint: 'deny' })
  const read = { integrity: 'external', level: 'sensitive', origins: new Set(['mail']) } as const
  raiseLabel(session, read)
  const { signal: leave } = aborted()
  const args = { flow: 'a', inputs: { text: 'x' } }
  await runFlow.call({ session, args, callOffered, leave, signal: never })
  const [start] = started
  assert.deepEqual(
    [start?.words?.level, [...(start?.words?.origins ?? [])]],
    ['sensitive', ['mail']],
  )
  assert.equal(start?.labelled?.['text']?.label.integrity, 'external')
  assert.equal(start?.approval, 'never')
})

function aborted(): AbortController {
  const controller = new AbortController()
  controller.abort()
  return controller
}
