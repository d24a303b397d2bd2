/**
 * Checks gateways and prints a table: rows are checks, columns are gateways. Exits 1 if a check fails that is not in that
 * gateway's baseline, or if one passes that is; 2 if it was called wrongly. See the README in this folder.
 */
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Adapter, BACKENDS, serversJson } from './adapters/adapter.ts'
import { CORDON_ADAPTERS } from './adapters/cordon.ts'
import { PEER_ADAPTERS } from './adapters/peers.ts'
import { yoursAdapter } from './adapters/yours.ts'
import type { Check } from './check.ts'
import { CHECKS } from './checks/all-checks.ts'
import { runChecks } from './run-checks.ts'
import { type Baseline, type Column, markdownTable, problems, reasons } from './table.ts'

const KNOWN = [...CORDON_ADAPTERS, ...PEER_ADAPTERS]

const USAGE = `Usage: npm run conformance:gateway -- [options] [GATEWAY… | URL | -- COMMAND ARG…]

  GATEWAY       ${KNOWN.map(({ name }) => name).join(', ')}; or all of them: all
  URL, COMMAND  a gateway of yours, configured with the servers that --backends prints

  --backends         prints the suite's servers, to put into your gateway's configuration, and ends
  --list             prints the checks and ends
  --only CHECK       runs the checks whose name begins so; may be repeated
  --baseline FILE    JSON: the checks that your gateway is known to fail, each with its reason
  --older            the URL speaks HTTP+SSE of 2024-11-05
  --json             prints the verdicts as JSON

  GATEWAY_AUTHORIZATION and GATEWAY_AUTHORIZATION_2 in the environment are the Authorization
  headers of two clients of a URL.

Example: npm run conformance:gateway -- http://127.0.0.1:8080/mcp`

class UsageError extends Error {}

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    return await check(readArguments())
  } catch (error) {
    const isOurs =
      error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE')
    if (!isOurs) throw error
    console.error(`error: ${(error as Error).message}\n\n${USAGE}`)
    return 2
  }
}

function readArguments() {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      backends: { type: 'boolean', default: false },
      list: { type: 'boolean', default: false },
      only: { type: 'string', multiple: true, default: [] },
      baseline: { type: 'string' },
      older: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  return { ...values, gateways: positionals }
}

type Arguments = ReturnType<typeof readArguments>

async function check(asked: Arguments): Promise<number> {
  if (asked.help) return print(USAGE)
  if (asked.backends) return print(serversJson(Object.values(BACKENDS)))
  const checks = CHECKS.filter(
    ({ id }) => asked.only.length === 0 || asked.only.some((start) => id.startsWith(start)),
  )
  if (asked.list)
    return print(checks.map(({ id, title }) => `${id.padEnd(26)} ${title}`).join('\n'))
  if (checks.length === 0) throw new UsageError('There is no such check; --list prints them')
  const columns: Column[] = []
  for (const adapter of adaptersFor(asked)) {
    columns.push(await runColumn(adapter, checks, baselineFor(adapter, asked)))
  }
  if (asked.json) print(asJson(columns))
  else {
    print(`\n${markdownTable(checks, columns)}\n`)
    for (const column of columns) print(reasons(checks, column))
  }
  const found = columns.flatMap((column) => problems(checks, column))
  for (const problem of found) console.error(`error: ${problem}`)
  return found.length === 0 ? 0 : 1
}

function print(text: string): number {
  console.log(text)
  return 0
}

function adaptersFor({ gateways, older }: Arguments): readonly Adapter[] {
  const [first = 'cordon', ...rest] = gateways
  if (first === 'all') return KNOWN
  const known = [first, ...rest].map((name) => KNOWN.find((one) => one.name === name))
  if (known.every((one) => one !== undefined)) return known
  if (known.some((one) => one !== undefined)) {
    throw new UsageError('Name known gateways, or one of yours, not both')
  }
  const { GATEWAY_AUTHORIZATION: one, GATEWAY_AUTHORIZATION_2: two } = process.env
  const authorization = { ...(one && { one }), ...(two && { two }) }
  return [yoursAdapter({ target: [first, ...rest], isOlder: older, authorization })]
}

function baselineFor({ name, isFixed }: Adapter, { baseline }: Arguments): Baseline {
  const own = fileURLToPath(new URL(`./baselines/${name}.json`, import.meta.url))
  const file = isFixed ? baseline : own
  if (file === undefined) return {}
  if (!existsSync(file)) {
    if (isFixed) throw new UsageError(`There is no file ${JSON.stringify(file)}`)
    return {}
  }
  return JSON.parse(readFileSync(file, 'utf8')) as Baseline
}

async function runColumn(
  adapter: Adapter,
  checks: readonly Check[],
  baseline: Baseline,
): Promise<Column> {
  const verdicts = await runChecks(adapter, checks, ({ id }, verdict) => {
    const why = verdict.kind === 'pass' ? '' : verdict.why
    process.stderr.write(`${adapter.name.padEnd(13)} ${id.padEnd(26)} ${verdict.kind} ${why}\n`)
  })
  return { name: adapter.name, verdicts, baseline }
}

function asJson(columns: readonly Column[]): string {
  const entries = columns.map(({ name, verdicts }) => [name, Object.fromEntries(verdicts)])
  return JSON.stringify(Object.fromEntries(entries), undefined, 2)
}
