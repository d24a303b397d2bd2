/**
 * A small MCP server for one SQLite file, given as its only argument. It runs inside a sandbox that shows it the file's
 * folder and no network; where that folder is read-only, it has no tool that changes anything. It opens no other
 * database: ATTACH and extensions are refused. Answers are bounded, and the connection for `query` cannot change the
 * file, whatever statement it is sent.
 */
import { accessSync, constants as files, existsSync } from 'node:fs'
import path from 'node:path'
import process from 'node:process'
import { constants, DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'
import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import { z } from 'zod'

const MOST_ROWS = 1000
const MOST_CHARACTERS = 500_000
const BUSY_MS = 5000

const [file = ''] = process.argv.slice(2)
const isWritable = canWrite(path.dirname(file)) && (!existsSync(file) || canWrite(file))
if (!existsSync(file) && !isWritable)
  throw new Error(`There is no database ${JSON.stringify(file)}`)

function canWrite(place) {
  try {
    accessSync(place, files.W_OK)
    return true
  } catch {
    return false
  }
}

/** Opened by the first call, so that a damaged file is a message to a person and not a server that does not start. */
const connections = {}

function reading() {
  connections.reading ??= guarded(openForReading())
  return connections.reading
}

function writing() {
  connections.writing ??= guarded(new DatabaseSync(file, { timeout: BUSY_MS }))
  return connections.writing
}

/**
 * A database in WAL mode that nobody has open cannot be read in a read-only folder, since SQLite would make its index
 * there. Without a WAL file the main file is complete, so it can be read as one that does not change.
 */
function openForReading() {
  if (isWritable) writing() // makes the file, where there is none yet
  const options = { readOnly: true, timeout: BUSY_MS }
  const database = new DatabaseSync(file, options)
  try {
    database.prepare('SELECT 1 FROM sqlite_schema').get()
    return database
  } catch (error) {
    database.close()
    if (existsSync(`${file}-wal`)) throw error
    return new DatabaseSync(`${pathToFileURL(file).href}?immutable=1`, options)
  }
}

function guarded(database) {
  const refused = new Set([constants.SQLITE_ATTACH, constants.SQLITE_DETACH])
  database.setAuthorizer((action) =>
    refused.has(action) ? constants.SQLITE_DENY : constants.SQLITE_OK,
  )
  return database
}

const parameters = z
  .array(z.union([z.string(), z.number(), z.null()]))
  .default([])
  .describe('Values for the question marks in the statement, in order')

const value = z.union([z.string(), z.number(), z.null()])
const table = {
  columns: z.array(z.string()),
  rows: z.array(z.record(z.string(), value)),
  moreRows: z.boolean().optional().describe('Set if there are more rows than these'),
}

function createServer() {
  const server = new McpServer({ name: 'cordon-sqlite', version: '1.0.0' })
  server.registerTool(
    'list_tables',
    {
      title: 'Tables',
      description: 'Lists the tables and views of the database with their columns',
      inputSchema: z.object({}),
      outputSchema: z.object(table),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    () => answer(() => select(TABLES, [])),
  )
  server.registerTool(
    'query',
    {
      title: 'Query',
      description: 'Runs one statement that reads, such as SELECT, and gives at most 1,000 rows',
      inputSchema: z.object({ sql: z.string().min(1), parameters }),
      outputSchema: z.object(table),
      annotations: { readOnlyHint: true, openWorldHint: false },
    },
    ({ sql, parameters: values }) => answer(() => select(sql, values)),
  )
  if (isWritable) registerExecute(server)
  return server
}

function registerExecute(server) {
  server.registerTool(
    'execute',
    {
      title: 'Change',
      description:
        'Runs one statement that may change the database, such as INSERT or CREATE TABLE',
      inputSchema: z.object({ sql: z.string().min(1), parameters }),
      outputSchema: z.object({ changes: z.number(), lastInsertRowid: value }),
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: false },
    },
    ({ sql, parameters: values }) =>
      answer(() => {
        const { changes, lastInsertRowid } = writing()
          .prepare(sql)
          .run(...values)
        return { changes: Number(changes), lastInsertRowid: plain(lastInsertRowid) }
      }),
  )
}

const TABLES = `SELECT t.name AS "table", t.type AS kind, c.name AS "column", c.type AS type, c.pk AS "key"
  FROM pragma_table_list AS t JOIN pragma_table_info(t.name) AS c
  WHERE t.schema = 'main' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY t.name, c.cid`

function select(sql, values) {
  const statement = reading().prepare(sql)
  statement.setReadBigInts(true)
  const columns = statement.columns().map(({ name }) => name)
  const rows = []
  let characters = 0
  for (const row of statement.iterate(...values)) {
    const shown = Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(cell)]))
    characters += JSON.stringify(shown).length
    if (rows.length === MOST_ROWS || characters > MOST_CHARACTERS) {
      return { columns, rows, moreRows: true }
    }
    rows.push(shown)
  }
  return { columns, rows }
}

/** Numbers that JSON cannot hold exactly are given as text, and bytes as hexadecimal, as SQL writes them. */
function plain(cell) {
  if (typeof cell === 'bigint') {
    const number = Number(cell)
    return Number.isSafeInteger(number) ? number : String(cell)
  }
  if (cell instanceof Uint8Array) return `x'${Buffer.from(cell).toString('hex')}'`
  return typeof cell === 'number' && !Number.isFinite(cell) ? String(cell) : cell
}

function answer(work) {
  try {
    const structuredContent = work()
    return {
      content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
      structuredContent,
    }
  } catch (error) {
    const text = error instanceof Error ? error.message : String(error)
    return { content: [{ type: 'text', text }], isError: true }
  }
}

serveStdio(createServer)
