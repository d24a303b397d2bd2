/** The store on a real PostgreSQL, and failures that only a database server has. */
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import postgres from 'postgres'
import { CordonError } from '../../src/kernel/error.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'
import { startPostgres, type TestPostgres } from '../fixtures/postgres.ts'
import type { EngineUnderTest, Place } from './engine-under-test.ts'
import { flowSuite } from './flow-suite.ts'
import { memorySuite } from './memory-suite.ts'
import { sharingSuite } from './sharing-suite.ts'
import { storeSuite } from './store-suite.ts'

let server: TestPostgres
before(async () => {
  server = await startPostgres()
})
after(() => server[Symbol.asyncDispose]())

const log = { info() {}, warn() {}, error() {} }
const open = (databaseUrl: string): Promise<Store> =>
  openStore({ databaseUrl, sqlitePath: '/nowhere/state.db', log })

async function ask(place: Place, statement: string): Promise<readonly Record<string, unknown>[]> {
  const url = new URL(place.databaseUrl ?? '')
  const client = postgres({
    host: url.searchParams.get('host') ?? '',
    user: 'cordon',
    database: url.pathname.slice(1),
    max: 1,
    onnotice: () => undefined,
  })
  try {
    return await client.unsafe(statement)
  } finally {
    await client.end()
  }
}

async function dump(place: Place): Promise<string> {
  const tables = await ask(
    place,
    `select table_name from information_schema.tables where table_schema = 'public' order by 1`,
  )
  const rows = []
  for (const { table_name: name } of tables) rows.push(await ask(place, `table ${String(name)}`))
  return JSON.stringify({ tables, rows })
}

const engine: EngineUnderTest = {
  kind: 'postgresql',
  fresh: async () => ({
    databaseUrl: await server.createDatabase(),
    sqlitePath: '/nowhere/state.db',
  }),
  async execute(place, statement) {
    await ask(place, statement)
  },
  dump,
}
storeSuite(engine)
flowSuite(engine)
memorySuite(engine)
sharingSuite(engine)

test('openStore() says in words why a server cannot be used, and never shows the password', async () => {
  const folder = server.url.split('host=')[1] ?? ''
  const wrong: readonly (readonly [string, string])[] = [
    [`postgres://cordon:hunter2@localhost/none?host=${folder}`, 'store.no-database'],
    [`postgres://nobody-there:hunter2@localhost/postgres?host=${folder}`, 'store.denied'],
    [`postgres://cordon:hunter2@localhost/postgres?host=${folder}&port=1`, 'store.unreachable'],
    ['postgres://cordon:hunter2@127.0.0.1:1/postgres', 'store.unreachable'],
    ['postgres://cordon:hunter2@127.0.0.1:1/postgres?sslmode=verify-full', 'store.unreachable'],
    ['postgres://cordon:hunter2@host.invalid/postgres', 'store.unreachable'],
    ['postgres://cordon:hunter2@[::1/postgres', 'store.url'],
  ]
  for (const [url, code] of wrong) {
    await assert.rejects(open(url), (error) => {
      assert.ok(error instanceof CordonError, String(error))
      assert.equal(error.code, code)
      assert.doesNotMatch(`${error.message} ${error.hint}`, /hunter2/)
      return true
    })
  }
})

test('openStore() refuses a database where another program has such tables, and adds none to it', async () => {
  const databaseUrl = await server.createDatabase()
  const place = { databaseUrl, sqlitePath: '' }
  await ask(place, 'create table session (theirs text)')
  const before = await dump(place)
  await assert.rejects(open(databaseUrl), { name: 'CordonError', code: 'store.foreign' })
  assert.equal(await dump(place), before)
})

test('a user who may not create tables is told so', async () => {
  const databaseUrl = await server.createDatabase()
  const place = { databaseUrl, sqlitePath: '' }
  await ask(place, 'revoke create on schema public from public')
  await ask(place, 'create role guest login')
  await assert.rejects(open(databaseUrl.replace('cordon@', 'guest@')), { code: 'store.denied' })
})

test('a store whose connections are cut loses the calls under way, and nothing else', async () => {
  const databaseUrl = await server.createDatabase()
  const place = { databaseUrl, sqlitePath: '' }
  await using store = await open(databaseUrl)
  const { definitionHashes } = store.forOwner(OWNER.id)
  await definitionHashes.put('/a', 'x')
  let lost = 0
  for (let round = 0; round < 8; round++) {
    const cut = new AbortController()
    const callers = Array.from({ length: 6 }, async () => {
      while (!cut.signal.aborted) {
        try {
          assert.equal(await definitionHashes.get('/a'), 'x')
        } catch (error) {
          assert.equal((error as CordonError).code, 'store.unreachable')
          lost += 1
        }
      }
    })
    await ask(
      place,
      `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'cordon' and datname = current_database()`,
    )
    cut.abort()
    await Promise.all(callers)
  }
  assert.ok(lost > 0, 'no cut hit a call')
  assert.equal(await definitionHashes.get('/a'), 'x')
})

test('a store whose server went away says so, and closes without complaint', async () => {
  const own = await startPostgres()
  const store = await open(own.url)
  await own[Symbol.asyncDispose]()
  await assert.rejects(store.forOwner(OWNER.id).definitionHashes.get('/a'), {
    code: 'store.unreachable',
    exit: 5,
  })
  await store[Symbol.asyncDispose]()
})
