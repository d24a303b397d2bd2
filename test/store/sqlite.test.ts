/** The store on SQLite. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after } from 'node:test'
import type { EngineUnderTest, Place } from './engine-under-test.ts'
import { flowSuite } from './flow-suite.ts'
import { memorySuite } from './memory-suite.ts'
import { sharingSuite } from './sharing-suite.ts'
import { storeSuite } from './store-suite.ts'

const folder = mkdtempSync(join(tmpdir(), 'cordon-store-'))
after(() => rmSync(folder, { recursive: true }))

let files = 0
const engine: EngineUnderTest = {
  kind: 'sqlite',
  fresh: async () => ({ sqlitePath: join(folder, `state-${++files}.db`) }),
  async execute(place, statement) {
    using database = new DatabaseSync(place.sqlitePath)
    database.exec(statement)
  },
  dump: async (place) => dump(place),
}
storeSuite(engine)
flowSuite(engine)
memorySuite(engine)
sharingSuite(engine)

function dump(place: Place): string {
  using database = new DatabaseSync(place.sqlitePath)
  const tables = database.prepare(`select name, sql from sqlite_schema where type = 'table'`).all()
  const rows = tables.map(({ name }) => database.prepare(`select * from ${String(name)}`).all())
  return JSON.stringify({ tables, rows })
}
