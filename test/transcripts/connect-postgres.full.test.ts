/**
 * "connect postgres": a database that is not reached over HTTPS. The real command line, sandbox and server from npm, and
 * a real PostgreSQL that asks for a password.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { after, test } from 'node:test'
import { openCordonIn } from '../fixtures/connected-cordon.ts'
import { freePort } from '../fixtures/free-port.ts'
import { openOutsideWorld } from '../fixtures/outside-world.ts'
import { startPostgres } from '../fixtures/postgres.ts'

const PASSWORD = 'p4ss-of-the-shop'
const port = await freePort()
const database = await startPostgres({ port })
const world = await openOutsideWorld({})
const cordon = await openCordonIn(world, 'postgres')
after(async () => {
  await cordon[Symbol.asyncDispose]()
  await world[Symbol.asyncDispose]()
  await database[Symbol.asyncDispose]()
})

const addressWith = (password: string, host = 'localhost'): string =>
  `postgres://cordon:${password}@${host}:${port}/postgres?sslmode=disable`

test('a wrong password is asked for again; with the right one it answers, and reaches nothing else', async () => {
  await prepare()
  const entries = [addressWith('wr0ng-of-the-shop'), addressWith(PASSWORD)]
  const { code, stdout, stderr } = await cordon.run(['connect', 'postgres'], {
    stdin: `${entries.join('\n')}\n`,
  })
  assert.equal(code, 0, stderr + stdout)
  assert.match(stderr, /database address doesn't work \(.*password authentication failed/)
  assert.match(stdout, /^✓ PostgreSQL connected\. \d+ tools available\.$/m)
  const toml = readFileSync(path.join(cordon.home, 'mcp', 'postgres.toml'), 'utf8')
  assert.match(toml, new RegExp(`allowed_domains = \\[ "localhost:${port}" \\]`))
  assert.doesNotMatch(toml + stdout + stderr, /of-the-shop/)

  const found = await cordon.run([
    'mcp',
    'call',
    'postgres.search_objects',
    '{"object_type":"table"}',
  ])
  assert.match(found.stdout, /kettles/)
  const asked = await cordon.run([
    'mcp',
    'call',
    'postgres.execute_sql',
    '{"sql":"select name from kettles"}',
    '--yes',
  ])
  assert.match(asked.stdout, /the red one/)
})

test('an address that leads nowhere is told, and not stored', async () => {
  await cordon.run(['disconnect', 'postgres', '--yes'])
  for (const [host, fault] of [
    ['10.1.2.3', /names the address of a host/],
    ['db.example.com:99999', /names no host that can be reached/],
  ] as const) {
    const address = addressWith(PASSWORD).replace(`localhost:${port}`, host)
    const said = await cordon.run(['chat'], { stdin: `connect postgres\n${address}\ncancel\n` })
    assert.match(said.stdout, fault)
    assert.doesNotMatch(said.stdout, /of-the-shop/)
  }
})

/** Creates a table and sets the password. */
async function prepare(): Promise<void> {
  await database.execute(`alter role cordon password '${PASSWORD}'`)
  await database.execute('create table kettles (name text)')
  await database.execute("insert into kettles values ('the red one')")
}
