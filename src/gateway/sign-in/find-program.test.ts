import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Notes } from '../../kernel/ports.ts'
import { findProgram, isRegistered, type ProgramDeps, registerProgram } from './find-program.ts'

const ID = 'https://editor.example/oauth/client.json'
const GOOD = { client_id: ID, client_name: 'Editor', redirect_uris: ['http://127.0.0.1/callback'] }

function depsWith(answer: () => Response): ProgramDeps & { readonly asked: string[] } {
  const asked: string[] = []
  const rows = new Map<string, string>()
  const notes: Notes = {
    put: async (_kind, id, content) => void rows.set(id, content),
    list: async () => [...rows].map(([id, content]) => ({ id, content })),
    remove: async (_kind, id) => void rows.delete(id),
  }
  const fetchFrom: ProgramDeps['fetchFrom'] = (host) => async (input, init) => {
    const url = input instanceof Request ? input.url : new URL(input).href
    asked.push(`${host} ${url} ${init?.redirect}`)
    return answer()
  }
  let at = 0
  return { notes, fetchFrom, asked, now: () => (at += 1) }
}

test('SIGNIN-2: a document that describes a program is read from its own address, and never followed', async () => {
  const deps = depsWith(() => Response.json(GOOD))
  const program = await findProgram(deps, ID)
  assert.deepEqual(deps.asked, [`editor.example ${ID} error`])
  assert.equal(program.publisher, 'editor.example')
  assert.equal(isRegistered(program, 'http://127.0.0.1:5555/callback'), true)
  assert.equal(isRegistered(program, 'http://127.0.0.1:5555/other'), false)
  assert.equal(isRegistered(program, 'http://localhost:5555/callback'), false)
})

test('SIGNIN-2: a document of another address, without a redirect to this machine, or too long is refused', async () => {
  const bad: readonly (readonly [string, () => Response])[] = [
    [ID, () => Response.json({ ...GOOD, client_id: 'https://other.example/client.json' })],
    [ID, () => Response.json({ ...GOOD, redirect_uris: ['https://editor.example/callback'] })],
    [ID, () => new Response('x'.repeat(100_000))],
    [ID, () => new Response('', { status: 404 })],
    ['https://editor.example/', () => Response.json(GOOD)],
    ['https://user@editor.example/client.json', () => Response.json(GOOD)],
    ['http://editor.example/client.json', () => Response.json(GOOD)],
  ]
  for (const [id, answer] of bad) {
    await assert.rejects(findProgram(depsWith(answer), id), { name: 'OAuthError' }, id)
  }
})

test('registerProgram() forgets the oldest, keeps names printable, and gives out no secret', async () => {
  const deps = depsWith(() => Response.json({}))
  const uris = { redirect_uris: ['http://localhost:1/cb'] }
  const first = await registerProgram(deps, { ...uris, client_name: 'a\u202Eb\u0007c' })
  assert.equal(first.name, 'a b c')
  for (let count = 0; count < 100; count += 1) await registerProgram(deps, uris)
  await assert.rejects(findProgram(deps, first.clientId), /not registered/)
  assert.equal((await deps.notes.list('')).length, 100)
  const secret = { ...uris, token_endpoint_auth_method: 'client_secret_basic' }
  await assert.rejects(registerProgram(deps, secret), /public clients/)
})
