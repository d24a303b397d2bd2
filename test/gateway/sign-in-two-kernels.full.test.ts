/** One sign-in over two kernels on one PostgreSQL: begun at one, finished at the other, used and refreshed at both. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openCordon } from '../fixtures/cordon.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import {
  allow,
  askToken,
  codeForm,
  openGateway,
  openProgram,
  signIn,
  statusWith,
} from '../fixtures/signing-in.ts'

test('SIGNIN-1: a sign-in at one kernel holds at the other, and so does its end', async () => {
  await using postgres = await openPostgres()
  const environment = { DATABASE_URL: postgres.url }
  await using one = openCordon({ environment })
  await using two = openCordon({ environment })
  const [here, there] = [await openGateway(one), await openGateway(two)]
  const owner = await signIn(one, here)
  const program = await openProgram(here)
  const form = codeForm(program, await allow(owner, program.query))
  const given = await askToken(there, form)
  assert.equal(given.status, 200, JSON.stringify(given.body))
  const token = given.body['access_token'] ?? ''
  for (const origin of [here, there]) assert.equal(await statusWith(origin, token), 200)

  const refresh = { grant_type: 'refresh_token', client_id: program.clientId }
  const used = { ...refresh, refresh_token: given.body['refresh_token'] ?? '' }
  const both = await Promise.all([here, there].map((origin) => askToken(origin, used)))
  assert.deepEqual(
    both.map(({ status }) => status).toSorted((a, b) => a - b),
    [200, 400],
  )
  for (const origin of [here, there]) {
    const next = both.find(({ status }) => status === 200)?.body['access_token'] ?? ''
    assert.equal(await statusWith(origin, next), 401)
  }

  const again = await askToken(there, codeForm(program, await allow(owner, program.query)))
  assert.equal(again.status, 200, JSON.stringify(again.body))
  assert.equal(await statusWith(here, again.body['access_token'] ?? ''), 200)
  assert.equal((await askToken(here, form)).body['error'], 'invalid_grant') // the first code, replayed
})
