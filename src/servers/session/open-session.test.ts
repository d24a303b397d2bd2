import assert from 'node:assert/strict'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { test } from 'node:test'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import { never } from '../../kernel/test-never.ts'
import { createLogRing } from './log-ring.ts'
import { openSession, type SessionDeps } from './open-session.ts'

const redactor = { redact: (text: string) => text }

test('openSession() fails alone when what is known of the server cannot be read', async () => {
  const lease = (): Promise<never> => Promise.reject(new Error('the vault is locked'))
  const deps = { vault: { lease } } as unknown as SessionDeps
  const ring = createLogRing(redactor as never, Date.now)
  for (const transport of ['stdio', 'sse'] as const) {
    const prior = Promise.reject(new Error('the file cannot be read'))
    const sandbox = { mode: 'bwrap', readPaths: ['/'], writePaths: [] }
    const empty = { args: [], auth: {}, env: {}, config: {} }
    const definition = { id: 'one', command: 'one', transport, sandbox, ...empty }
    const options = { definition: definition as unknown as ServerDefinition, ring, prior }
    await assert.rejects(openSession(deps, options, never), /cannot be read|is locked/)
    await nextTurn() // an unhandled rejection is reported by then
  }
})
