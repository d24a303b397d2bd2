/**
 * `npm run servers:try [-- WORD…]`: connects popular npm servers outside the catalog by their pasted line, each in a
 * pseudo-terminal, calls one tool of each, and writes what came of it to a table in docs/. With words: those servers only
 * whose line contains one; the other rows stay as they were.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Cordon, openCordon, root } from '../../fixtures/cordon.ts'
import { connectByLine, ownNpm, type Tried } from './connect-by-line.ts'
import { TRIED_SERVERS, type TriedServer } from './tried-servers.ts'

const report = path.join(root, 'docs', 'servers-tried.md')
const LANES = 2
const LONGEST_CELL = 120

const words = process.argv.slice(2)
const wanted = TRIED_SERVERS.filter(
  ({ line }) => words.length === 0 || words.some((word) => line.includes(word)),
)
const rows = new Map<string, string>()
const waiting = [...wanted]
await Promise.all(Array.from({ length: LANES }, runLane))
write(rows)
process.exitCode = wanted.length > 0 && rows.size === wanted.length ? 0 : 1

/** One kernel connects one server at a time, so each lane has a home of its own. */
async function runLane(): Promise<void> {
  await using cordon = openCordon({ environment: ownNpm() })
  makeFiles(path.dirname(cordon.home))
  await cordon.run(['vault', 'init', '--key', 'keyfile'])
  for (let next = waiting.shift(); next; next = waiting.shift()) {
    const row = await tryOne(cordon, next)
    rows.set(next.line, row)
    console.log(row)
  }
}

/** A note, a table and a repository, which a sandbox may change also when this runs as root. */
function makeFiles(home: string): void {
  for (const name of ['notes/.obsidian', 'data', 'repo']) {
    mkdirSync(path.join(home, name), { recursive: true })
  }
  writeFileSync(path.join(home, 'notes', 'tea.md'), '# Tea\n\nAssam, 250 grams\n')
  writeFileSync(path.join(home, 'data', 'tea.csv'), 'name,grams\nAssam,250\n')
  writeFileSync(path.join(home, 'repo', 'index.js'), 'export const tea = "Assam"\n')
  execFileSync('chmod', [
    '-R',
    'a+rwX',
    ...['notes', 'data', 'repo'].map((one) => path.join(home, one)),
  ])
}

async function tryOne(cordon: Cordon, server: TriedServer): Promise<string> {
  const began = performance.now()
  const tried = await connectByLine(cordon, server.line, server.answers)
  const seconds = `${Math.round((performance.now() - began) / 1000)} s`
  const called = tried.ended === 'connected' ? await callOne(cordon, tried, server) : '–'
  const asked = tried.asked.length === 0 ? 'nothing' : tried.asked.join('; ')
  const cells = [server.line, tried.version || '–', endOf(tried), seconds, asked, called]
  return `| ${cells.map(cell).join(' | ')} |`
}

function endOf({ ended, tools, reason }: Tried): string {
  if (ended === 'connected') return `connected, ${tools} tools`
  return ended === 'failed' ? `failed: ${reason}` : 'ends in a question'
}

/** `useful:` before an answer that is what was expected; otherwise the answer as it came. */
async function callOne(cordon: Cordon, tried: Tried, { call }: TriedServer): Promise<string> {
  if (!call) return 'none: every tool asks a service elsewhere'
  const [tool, args, useful] = call
  const home = path.dirname(cordon.home)
  const text = JSON.stringify(args).replaceAll('~/', `${home}/`)
  const command = ['mcp', 'call', `${tried.server}.${tool}`, text, '--yes']
  const { stdout, stderr } = await cordon.run(command)
  const answer = `${stdout}${stderr}`.replaceAll(home, '~')
  return `${tool}: ${useful.test(answer) ? 'useful: ' : ''}${answer}`
}

/** One line, without what would end a cell. */
function cell(text: string): string {
  const line = text.replace(/\s+/g, ' ').replaceAll('|', '/').trim()
  return line.length > LONGEST_CELL ? `${line.slice(0, LONGEST_CELL)}…` : line
}

function write(fresh: ReadonlyMap<string, string>): void {
  const old = readRows()
  const all = TRIED_SERVERS.flatMap(({ line }) => fresh.get(line) ?? old.get(line) ?? [])
  const connected = all.filter((row) => / \| connected, /.test(row)).length
  const useful = all.filter((row) => row.includes(': useful: ')).length
  const text = [
    '# Servers tried by their pasted line',
    '',
    'Written by `npm run servers:try`. Each line, from the README of a popular npm server outside the catalog, was given to',
    "`cordon connect '…'` in a terminal, in an empty home, with no file edited; questions were answered as shown, and one",
    'tool was called. The machine reached the npm registry and nothing else, so a server that asks a service elsewhere can',
    'only say so. The time includes the install.',
    '',
    `${new Date().toISOString().slice(0, 10)}: ${connected} of ${all.length} connect, ${useful} give a useful answer here.`,
    '',
    '| line | version | how it ended | time | asked | call |',
    '|---|---|---|---|---|---|',
    ...all,
  ]
  writeFileSync(report, `${text.join('\n')}\n`)
}

function readRows(): ReadonlyMap<string, string> {
  if (!existsSync(report)) return new Map()
  const lines = readFileSync(report, 'utf8').split('\n')
  return new Map(
    lines.flatMap((line) => {
      const name = /^\| (npx .+?) \| /.exec(line)?.[1]
      return name === undefined ? [] : [[name, line] as const]
    }),
  )
}
