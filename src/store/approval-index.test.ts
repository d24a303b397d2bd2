/** The table of approvals grows with every call that was consented to: each of its queries has an index. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openStore } from './open-store.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-approval-index-'))
after(() => rmSync(folder, { recursive: true }))

test('approvals are found by question, key, call, state and time without reading all of them', async () => {
  const sqlitePath = path.join(folder, 'state.db')
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const store = await openStore({ databaseUrl: undefined, sqlitePath, log })
  await store[Symbol.asyncDispose]()
  using database = new DatabaseSync(sqlitePath)
  const wanted = ['question =', 'key =', 'call_id =', 'state =', 'asked_at <']
  for (const condition of wanted) {
    const query = `SELECT * FROM approval WHERE principal = 'x' AND ${condition} 'y'`
    const plan = JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN ${query}`).all())
    const [column = ''] = condition.split(' ')
    assert.match(plan, new RegExp(`USING INDEX approval_principal_${column}`))
  }
})
