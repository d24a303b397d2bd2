/**
 * The migrations of the tables, one list for both engines. Steps are only ever added at the end. Kysely's own migrator
 * is not used: on SQLite it takes no lock and cannot undo a step that fails half-way.
 */
import { type AlterTableBuilder, type CreateTableBuilder, type Kysely, sql } from 'kysely'
import { CordonError } from '../kernel/error.ts'
import type { Engine } from './engine.ts'
import type { Tables } from './tables.ts'

type CreateTable = (name: keyof Tables) => CreateTableBuilder<string>
type DropTable = (name: keyof Tables) => Promise<void>
type AlterTable = (name: keyof Tables) => AlterTableBuilder
type CreateIndex = (table: keyof Tables, columns: readonly string[]) => Promise<void>
type Makers = [CreateTable, DropTable, AlterTable, CreateIndex]
interface Migration {
  readonly name: string
  up(...make: Makers): Promise<void>
}

const MIGRATIONS: readonly Migration[] = [
  {
    name: '0001-first-tables',
    async up(createTable) {
      await createTable('project_trust')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('folder', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addColumn('trusted_at', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('project_trust_key', ['principal', 'folder'])
        .execute()
      await createTable('definition_hash')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('path', 'text', (column) => column.notNull())
        .addColumn('hash', 'text', (column) => column.notNull())
        .addPrimaryKeyConstraint('definition_hash_key', ['principal', 'path'])
        .execute()
      await createTable('import_journal')
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('id', 'text', (column) => column.notNull())
        .addColumn('position', 'integer', (column) => column.notNull())
        .addColumn('journal', 'text', (column) => column.notNull())
        .addColumn('undone_at', 'text')
        .addPrimaryKeyConstraint('import_journal_key', ['principal', 'id'])
        .execute()
      await createTable('session')
        .addColumn('cookie_hash', 'text', (column) => column.notNull().primaryKey())
        .addColumn('principal', 'text', (column) => column.notNull())
        .addColumn('csrf_hash', 'text', (column) => column.notNull())
        .addColumn('expires_at', 'text', (column) => column.notNull())
        .execute()
    },
  },
  {
    name: '0002-consent-note-lock',
    async up(createTable) {
      await columns(createTable('consent'), {
        text: ['principal', 'subject', 'hash', 'given_at'],
        integer: [],
      })
        .addPrimaryKeyConstraint('consent_key', ['principal', 'subject'])
        .execute()
      await columns(createTable('note'), {
        text: ['principal', 'kind', 'id', 'content'],
        integer: [],
      })
        .addPrimaryKeyConstraint('note_key', ['principal', 'kind', 'id'])
        .execute()
      await createTable('lock')
        .addColumn('name', 'text', (column) => column.notNull().primaryKey())
        .addColumn('holder', 'text', (column) => column.notNull())
        .addColumn('until', 'text', (column) => column.notNull())
        .execute()
    },
  },
  { name: '0003-approvals', up: createApprovalTables },
  { name: '0004-flows', up: createFlowTables },
  { name: '0005-endorsement-place', up: replaceEndorsements },
  { name: '0006-kept-labels', up: createKeptLabelTable },
  { name: '0008-grant-use', up: createGrantUseTable },
  { name: '0009-plan-uses', up: createPlanTables },
  { name: '0010-notices', up: createNoticeTable },
  { name: '0011-memory', up: createMemoryTables },
  { name: '0012-schedule-catch-up', up: addCatchUp },
  { name: '0013-conversations', up: addConversations },
  { name: '0014-conversation-index', up: addConversationIndex },
  { name: '0015-approval-index', up: addApprovalIndex },
  { name: '0016-schedule-rules', up: addScheduleRules },
]

async function createApprovalTables(createTable: CreateTable): Promise<void> {
  await columns(createTable('approval'), {
    text: ['principal', 'question', 'key', 'call_id', 'task_id', 'state', 'asked_at'],
    integer: ['position', 'was_seen'],
  })
    .addColumn('digest', 'text', (column) => column.notNull().primaryKey())
    .addColumn('answer_by', 'text', (column) => column.notNull())
    .addColumn('use_by', 'text', (column) => column.notNull())
    .addColumn('answered_at', 'text')
    .addColumn('answered_by', 'text')
    .addColumn('answered_how', 'text')
    .addColumn('spent_at', 'text')
    .addColumn('content', 'text', (column) => column.notNull())
    .execute()
  await columns(createTable('standing_grant'), {
    text: ['principal', 'kind', 'server', 'tool', 'hash', 'server_pin', 'created_at', 'expires_at'],
    integer: ['uses_left'],
  })
    .addColumn('id', 'text', (column) => column.notNull().primaryKey())
    .addColumn('origin', 'text')
    .addColumn('max', 'text')
    .addColumn('revoked_at', 'text')
    .execute()
  await columns(createTable('endorsement'), {
    text: ['principal', 'task_id', 'value_hash', 'until'],
    integer: [],
  })
    .addPrimaryKeyConstraint('endorsement_key', ['principal', 'task_id', 'value_hash'])
    .execute()
}

/** Rows without server and argument are dropped: they allow a value anywhere, and would end within a day. */
async function replaceEndorsements(createTable: CreateTable, dropTable: DropTable): Promise<void> {
  await dropTable('endorsement')
  const key = ['principal', 'task_id', 'server', 'argument', 'value_hash']
  await columns(createTable('endorsement'), { text: [...key, 'until'], integer: [] })
    .addPrimaryKeyConstraint('endorsement_place_key', key)
    .execute()
}

async function createFlowTables(createTable: CreateTable): Promise<void> {
  await columns(createTable('saved_flow'), {
    text: ['principal', 'name', 'ir', 'saved_at'],
    integer: [],
  })
    .addColumn('written', 'text')
    .addPrimaryKeyConstraint('saved_flow_key', ['principal', 'name'])
    .execute()
  await columns(createTable('flow_schedule'), {
    text: ['principal', 'name', 'cron', 'timezone', 'sinks', 'template', 'inputs', 'created_at'],
    integer: [],
  })
    .addPrimaryKeyConstraint('flow_schedule_key', ['principal', 'name'])
    .execute()
}

async function createKeptLabelTable(createTable: CreateTable): Promise<void> {
  await columns(createTable('kept_label'), {
    text: ['principal', 'kind', 'id', 'content', 'kept_at'],
    integer: [],
  })
    .addPrimaryKeyConstraint('kept_label_key', ['principal', 'kind', 'id'])
    .execute()
}

async function createGrantUseTable(createTable: CreateTable): Promise<void> {
  await columns(createTable('grant_use'), { text: ['principal', 'id', 'used_at'], integer: [] })
    .addPrimaryKeyConstraint('grant_use_key', ['principal', 'id'])
    .execute()
}

async function createPlanTables(createTable: CreateTable): Promise<void> {
  await columns(createTable('plan_use'), {
    text: ['principal', 'approval', 'node', 'call_id', 'used_at'],
    integer: ['slot'],
  })
    .addPrimaryKeyConstraint('plan_use_key', ['principal', 'approval', 'node', 'slot'])
    .addUniqueConstraint('plan_use_call', ['principal', 'approval', 'call_id'])
    .execute()
}

async function createNoticeTable(createTable: CreateTable): Promise<void> {
  const key = ['principal', 'kind', 'server', 'item']
  await columns(createTable('notice'), {
    text: [...key, 'reason', 'since', 'last_at'],
    integer: ['count'],
  })
    .addColumn('seen_at', 'text')
    .addPrimaryKeyConstraint('notice_key', key)
    .execute()
}

async function createMemoryTables(createTable: CreateTable): Promise<void> {
  await columns(createTable('memory_fact'), {
    text: ['principal', 'key', 'text', 'labels', 'source', 'kept_at'],
    integer: ['number'],
  })
    .addColumn('used_at', 'text')
    .addPrimaryKeyConstraint('memory_fact_key', ['principal', 'key'])
    .addUniqueConstraint('memory_fact_number', ['principal', 'number'])
    .execute()
  await columns(createTable('memory_turn'), {
    text: ['principal', 'channel', 'said', 'answered', 'label', 'at'],
    integer: ['number'],
  })
    .addPrimaryKeyConstraint('memory_turn_key', ['principal', 'number'])
    .execute()
  await columns(createTable('memory_result'), {
    text: ['principal', 'server', 'tool', 'type', 'content', 'at'],
    integer: ['number'],
  })
    .addColumn('count', 'integer')
    .addPrimaryKeyConstraint('memory_result_key', ['principal', 'number'])
    .execute()
}

/** Schedules from before are caught up: nobody had said otherwise. */
async function addCatchUp(...[, , alterTable]: Makers): Promise<void> {
  await alterTable('flow_schedule')
    .addColumn('catch_up', 'integer', (column) => column.notNull().defaultTo(1))
    .execute()
}

/** Rows from before belong to no conversation. */
async function addConversations(...[, , alterTable]: Makers): Promise<void> {
  for (const table of ['memory_turn', 'memory_result'] as const) {
    await alterTable(table)
      .addColumn('conversation', 'text', (column) => column.notNull().defaultTo(''))
      .execute()
  }
}

/** Every prompt holds the last turns and results of one conversation, out of thousands. */
async function addConversationIndex(...[, , , createIndex]: Makers): Promise<void> {
  await createIndex('memory_turn', ['principal', 'conversation', 'number'])
  await createIndex('memory_result', ['principal', 'conversation', 'number'])
}

/** `--yes` adds a row for each call, and rows stay for a week: without an index each question reads them all. */
async function addApprovalIndex(...[, , , createIndex]: Makers): Promise<void> {
  for (const column of ['state', 'asked_at', 'question', 'key', 'call_id'])
    await createIndex('approval', ['principal', column])
}

/** Schedules from before ran also while they still ran; that filled every place, so they get the usual rule. */
async function addScheduleRules(...[, , alterTable]: Makers): Promise<void> {
  await alterTable('flow_schedule')
    .addColumn('overlap', 'text', (column) => column.notNull().defaultTo('skip'))
    .execute()
  await alterTable('flow_schedule').addColumn('progress', 'text').execute()
}

/** Adds NOT NULL columns. */
function columns(
  table: CreateTableBuilder<string>,
  names: Readonly<Record<'text' | 'integer', readonly string[]>>,
): CreateTableBuilder<string, string> {
  let made: CreateTableBuilder<string, string> = table
  for (const type of ['text', 'integer'] as const) {
    for (const name of names[type]) made = made.addColumn(name, type, (one) => one.notNull())
  }
  return made
}

/** Applies all missing migrations or none. Of several processes at once, one migrates and the others wait. */
export async function migrate(engine: Engine): Promise<void> {
  await engine.exclusively(async (db) => {
    const createTable: CreateTable = (name) => {
      const table = db.schema.createTable(name)
      return engine.kind === 'sqlite' ? table.modifyEnd(sql`strict`) : table
    }
    const dropTable: DropTable = (name) => db.schema.dropTable(name).execute()
    const alterTable: AlterTable = (name) => db.schema.alterTable(name)
    const createIndex: CreateIndex = (table, names) =>
      db.schema
        .createIndex(`${table}_${names.join('_')}`)
        .on(table)
        .columns([...names])
        .execute()
    await createTable('cordon_migration')
      .ifNotExists()
      .addColumn('name', 'text', (column) => column.notNull().primaryKey())
      .addColumn('applied_at', 'text', (column) => column.notNull())
      .execute()
    const applied = await appliedNames(db)
    refuseNewer(applied)
    for (const migration of MIGRATIONS) {
      if (applied.has(migration.name)) continue
      await migration.up(createTable, dropTable, alterTable, createIndex)
      const row = { name: migration.name, applied_at: new Date().toISOString() }
      await db.insertInto('cordon_migration').values(row).execute()
    }
  })
}

async function appliedNames(db: Kysely<Tables>): Promise<ReadonlySet<string>> {
  const rows = await db.selectFrom('cordon_migration').select('name').execute()
  return new Set(rows.map((row) => row.name))
}

function refuseNewer(applied: ReadonlySet<string>): void {
  const known = new Set(MIGRATIONS.map((migration) => migration.name))
  const unknown = [...applied].find((name) => !known.has(name))
  if (unknown === undefined) return
  throw new CordonError(
    'store.newer',
    { exit: 5, hint: 'Update Cordon to the version that wrote the database, or a later one' },
    `Cannot use the database: a newer Cordon changed it (${JSON.stringify(unknown)})`,
  )
}
