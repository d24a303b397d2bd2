import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createNotes } from './fake-notes.ts'
import { Tokens } from './tokens.ts'

const VERIFIER = 'v'.repeat(43)
const BACK = 'http://127.0.0.1:49152/callback'
const [HERE, THERE] = ['http://127.0.0.1:1/mcp', 'http://127.0.0.1:2/mcp']

/** Kernels over one store; what each knows of clients is read when it looks. */
function kernels(resources: readonly string[], isShared = true) {
  const notes = createNotes()
  const registered = new Map<string, string>()
  const replayed: string[] = []
  const all = resources.map((resource) => {
    let seen = new Map(registered)
    return new Tokens({
      notes,
      now: Date.now,
      isShared,
      resources: [resource],
      reloadClients: async () => void (seen = new Map(registered)),
      sinceOf: (name) => (isShared ? seen : registered).get(name),
      replayed: async (client) => void replayed.push(client),
    })
  })
  return { all, registered, replayed }
}

const form = (fields: Readonly<Record<string, unknown>>): URLSearchParams =>
  new URLSearchParams({ client_id: 'program', ...(fields as Record<string, string>) })

async function codeOf(tokens: Tokens, resource: string): Promise<URLSearchParams> {
  const challenge = hash('sha256', VERIFIER, 'base64url')
  const asked = { clientId: 'program', clientName: 'P', redirectUri: BACK, challenge, resource }
  const code = await tokens.createCode('editor', asked)
  return form({ code, code_verifier: VERIFIER, redirect_uri: BACK })
}

interface Pair {
  readonly access_token: string
  readonly refresh_token: string
}

test('SIGNIN-1: what one kernel gives, another redeems, admits and refreshes', async () => {
  const { all, registered } = kernels([HERE, THERE])
  const [one, two] = all as [Tokens, Tokens]
  assert.equal(await two.admit('nothing yet'), undefined)
  registered.set('editor', 'now')
  await one.admit('looks for clients')
  const given = (await two.redeem(await codeOf(one, HERE))) as unknown as Pair
  for (const kernel of all) assert.equal(await kernel.admit(given.access_token), 'editor')
  const { refresh_token } = given
  const next = (await one.refresh(form({ refresh_token, resource: HERE }))) as unknown as Pair
  const last = await two.refresh(form({ refresh_token: next.refresh_token, resource: THERE }))
  for (const kernel of all) {
    assert.equal(await kernel.admit((last as unknown as Pair).access_token), 'editor')
  }
  for (let round = 0; round < 3; round += 1) {
    await sleep(60) // what each kernel has read is neither new nor stale by then
    const { access_token } = (await one.redeem(await codeOf(one, HERE))) as unknown as Pair
    assert.equal(await two.admit(access_token), 'editor')
  }
})

test('SIGNIN-1: of two refreshes at the same time one succeeds, and the other ends the sign-in', async () => {
  for (const isShared of [true, false]) {
    const { all, registered, replayed } = kernels(isShared ? [HERE, THERE] : [HERE], isShared)
    registered.set('editor', 'now')
    const [one, other = one] = all as [Tokens, Tokens?]
    await one.admit('looks for clients')
    const given = (await one.redeem(await codeOf(one, HERE))) as unknown as Pair
    const { refresh_token } = given
    for (const kernel of all) await kernel.admit(given.access_token)
    const both = await Promise.allSettled(
      [one, other].map((kernel) => kernel.refresh(form({ refresh_token }))),
    )
    assert.deepEqual(both.map(({ status }) => status).toSorted(), ['fulfilled', 'rejected'])
    assert.deepEqual(replayed, ['editor'])
    const winner = both.find((end) => end.status === 'fulfilled')?.value as unknown as Pair
    for (const kernel of all) assert.equal(await kernel.admit(winner.access_token), undefined)
    await assert.rejects(one.refresh(form({ refresh_token: winner.refresh_token })), /not valid/)
  }
})

test('SIGNIN-2: a code that is redeemed twice at the same time, at one kernel or two, leaves no token', async () => {
  for (const resources of [[HERE], [HERE, THERE]]) {
    const { all, registered, replayed } = kernels(resources, resources.length > 1)
    registered.set('editor', 'now')
    const [one, other = one] = all as [Tokens, Tokens?]
    await one.admit('looks for clients')
    const code = await codeOf(one, HERE)
    const both = await Promise.allSettled([one.redeem(code), other.redeem(code)])
    assert.ok(both.some(({ status }) => status === 'rejected'))
    assert.ok(replayed.length > 0)
    for (const end of both) {
      if (end.status === 'rejected') continue
      const { access_token } = end.value as unknown as Pair
      for (const kernel of all) assert.equal(await kernel.admit(access_token), undefined)
    }
  }
})

test('SIGNIN-2: a kernel alone takes tokens for its own address only', async () => {
  const { all, registered } = kernels([HERE], false)
  const [tokens] = all as [Tokens]
  registered.set('editor', 'now')
  const elsewhere = (await tokens.redeem(await codeOf(tokens, THERE))) as unknown as Pair
  assert.equal(await tokens.admit(elsewhere.access_token), undefined)
  const { refresh_token } = elsewhere
  await assert.rejects(tokens.refresh(form({ refresh_token, resource: HERE })), /another resource/)
})
