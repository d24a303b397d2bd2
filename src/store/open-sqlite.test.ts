import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { test } from 'node:test'
import { sql } from 'kysely'
import type { Query } from './engine.ts'
import { migrate } from './migrations.ts'
import { openSqlite } from './open-sqlite.ts'

const NORMAL = 1
const FULL = 2

test('only unsynced statements do not wait for the disk, also after one that failed', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-sqlite-'))
  {
    await using engine = await openSqlite(path.join(folder, 'state.db'))
    const waits = async (query: Query): Promise<number | undefined> =>
      await query(async (db) => {
        // As a table: the value of a bare pragma is that of the moment when it is prepared.
        const written = sql<{ level: number }>`insert into one values (1)
          returning (select synchronous from pragma_synchronous) as level`
        return (await written.execute(db)).rows[0]?.level
      })
    await engine.query((db) => sql`create table one (x integer not null) strict`.execute(db))
    assert.equal(await waits(engine.query), FULL)
    assert.equal(await waits(engine.queryUnsynced), NORMAL)
    assert.equal(await waits(engine.query), FULL)
    await engine.queryUnsynced((db) => sql`insert into one values (1)`.execute(db))
    const bad = engine.queryUnsynced((db) => sql`insert into one values (null)`.execute(db))
    await assert.rejects(bad)
    assert.equal(await waits(engine.query), FULL)
  }
  rmSync(folder, { recursive: true })
})

test('the stamp of a table changes with its rows, and with nothing else', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-sqlite-'))
  {
    await using engine = await openSqlite(path.join(folder, 'state.db'))
    await migrate(engine)
    const note = { principal: 'owner', kind: 'k', id: 'a', content: 'x' }
    const stamps = new Set([engine.stamp(['note', 'lock'])])
    const changed = (): boolean => {
      const before = stamps.size
      return stamps.add(engine.stamp(['note', 'lock'])).size > before
    }
    await engine.query((db) => db.insertInto('note').values(note).execute())
    assert.ok(changed())
    await engine.queryUnsynced((db) => db.updateTable('note').set({ content: 'y' }).execute())
    assert.ok(changed())
    await engine.query((db) => db.deleteFrom('note').where('id', '=', 'b').execute())
    await engine.query((db) => db.selectFrom('note').selectAll().execute())
    assert.ok(!changed())
    await engine.query((db) =>
      db.deleteFrom('note').where('id', '=', 'a').returning('id').execute(),
    )
    assert.ok(changed())
    assert.equal(engine.stamp(['saved_flow']), '0')
  }
  rmSync(folder, { recursive: true })
})
