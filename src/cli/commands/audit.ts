/** `audit …`: reads the audit log, and verifies that its hash chain is intact. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import type { AuditRecord, RecordProof, VerifyReport } from '../../kernel/audit-record.ts'
import { confirm } from '../ask.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { printableLine, showJson } from '../output.ts'
import { writeNew } from '../write-new.ts'
import { wholeNumber } from './whole-number.ts'

const PAGE = 1000

interface SearchOptions {
  readonly kind?: string
  readonly subject?: string
  readonly since?: string
  readonly until?: string
  readonly before?: number
  readonly limit: number
}

export function addAuditCommands(program: Command, context: Context): void {
  const audit = program.command('audit').description('read and verify the record of what happened')
  addReading(audit, context)
  addProving(audit, context)
}

function addReading(audit: Command, context: Context): void {
  audit
    .command('tail')
    .description('show the newest records')
    .addHelpText('after', '\nExample:\n  $ cordon audit tail --lines 50')
    .option('-n, --lines <count>', 'how many', wholeNumber, 20)
    .option('-f, --follow', 'keep showing new ones until Ctrl-C')
    .action(async (options: { readonly lines: number; follow?: boolean }, command: Command) => {
      await withApi(context, command, async (api) => {
        const last = await show(context, command, api.call('audit.read', { limit: options.lines }))
        if (options.follow) await follow(context, command, api, last)
      })
    })
  audit
    .command('days')
    .description('count what ran and what was blocked on each of the last days')
    .addHelpText('after', '\nExample:\n  $ cordon audit days --days 30')
    .option('--days <count>', 'how many', wholeNumber, 14)
    .action(async (options: { readonly days: number }, command: Command) => {
      const counted = await withApi(context, command, (api) => api.call('audit.daily', options))
      outputOf(context, command).answer(counted, () =>
        counted.days.map(({ day, ran, blocked }) => `${day}  ${ran} ran, ${blocked} blocked`),
      )
    })
  audit
    .command('search')
    .argument('[text]', 'words that occur anywhere in a record')
    .description('find records')
    .option('--kind <kind>', 'such as `vault.set`, or `vault.*`')
    .option('--subject <name>', 'the server, secret or tool it is about')
    .option('--since <time>', 'from this time on, as in 2026-11-15T08:00:00Z')
    .option('--until <time>', 'up to this time')
    .option('--before <number>', 'only records with a smaller number', wholeNumber)
    .option('-n, --limit <count>', 'how many at most', wholeNumber, 100)
    .addHelpText('after', '\nExample:\n  $ cordon audit search notion --kind "vault.*"')
    .action(async (text: string | undefined, options: SearchOptions, command: Command) => {
      const query = text === undefined ? options : { ...options, text }
      await withApi(context, command, async (api) => {
        await show(context, command, api.call('audit.search', query))
      })
    })
}

function addProving(audit: Command, context: Context): void {
  audit
    .command('show')
    .argument('<number>', 'the number of the record', wholeNumber)
    .description('show one record and prove its place in the chain')
    .addHelpText('after', '\nExample:\n  $ cordon audit show 12')
    .action(async (seq: number, _options: object, command: Command) => {
      const proof = await withApi(context, command, (api) => api.call('audit.prove', { seq }))
      outputOf(context, command).answer(proof, () => describeRecord(proof))
      if (proof.problem !== undefined) context.endWith(3)
    })
  audit
    .command('verify')
    .description('re-compute the chain; says which record was changed, removed or added')
    .addHelpText('after', '\nExample:\n  $ cordon audit verify')
    .option('--head <hash>', 'a hash you noted earlier: it must still be in the chain')
    .action(async (options: { readonly head?: string }, command: Command) => {
      const report = await withApi(context, command, (api) => api.call('audit.verify', options))
      outputOf(context, command).answer(report, () => describeProof(report))
      if (!report.ok) context.endWith(3)
    })
  audit
    .command('export')
    .description('write every record as JSON lines')
    .addHelpText('after', '\nExample:\n  $ cordon audit export --out audit.jsonl')
    .option('-o, --out <file>', 'a new file, instead of standard output')
    .action(async (options: { readonly out?: string }, command: Command) => {
      await withApi(context, command, async (api) => {
        const lines = exportedLines(api, context.signal)
        if (options.out === undefined) {
          for await (const line of lines) context.surface.terminal.stdout.write(line)
          return
        }
        await writeNew(options.out, lines)
        outputOf(context, command).answer({ out: options.out }, () => [])
      })
    })
  audit
    .command('reseal')
    .description('after damage: set the damaged record aside and begin a new chain that cites it')
    .addHelpText('after', '\nExample:\n  $ cordon audit reseal')
    .option('-y, --yes', 'do not ask')
    .action(async (options: { readonly yes?: boolean }, command: Command) => {
      const question = 'Set the damaged record aside and begin a new one?'
      await confirm(context, question, options.yes === true)
      const done = await withApi(context, command, (api) => api.call('audit.reseal', {}))
      outputOf(context, command).answer(done, () => [`The old record is kept as ${done.kept}.`])
    })
}

/** Prints records, and returns the number of the last one. */
async function show(
  context: Context,
  command: Command,
  asked: Promise<{ readonly records: readonly AuditRecord[] }>,
): Promise<number> {
  const { records } = await asked
  outputOf(context, command).answer({ records }, () => records.map(oneLine))
  return records.at(-1)?.seq ?? 0
}

async function follow(context: Context, command: Command, api: Api, seen: number): Promise<void> {
  let after = seen
  while (!context.signal.aborted) {
    await pause(500)
    const { records } = await api.call('audit.read', { after, limit: PAGE })
    if (records.length === 0) continue
    after = await show(context, command, Promise.resolve({ records }))
  }
}

async function* exportedLines(api: Api, signal: AbortSignal): AsyncGenerator<string> {
  let after = 0
  for (;;) {
    const { records } = await api.call('audit.read', { after, limit: PAGE }, signal)
    for (const record of records) yield `${showJson(record)}\n`
    if (records.length < PAGE) return
    after = records.at(-1)?.seq ?? after
  }
}

function oneLine(record: AuditRecord): string {
  const details = record.details ? ` ${JSON.stringify(record.details)}` : ''
  const subject = record.subject ? ` ${record.subject}` : ''
  const text = `${record.seq} ${record.at} ${record.kind}${subject} (${record.principal})${details}`
  return printableLine(text)
}

function describeProof(report: VerifyReport): readonly string[] {
  const counted = `${report.records} records`
  if (!report.problem) return [`The chain is whole: ${counted}, head ${report.head}`]
  const { seq, line, message } = report.problem
  return [`The chain is BROKEN at record ${seq} (line ${line}): ${message}`]
}

function describeRecord({
  record,
  computed,
  before,
  after,
  problem,
}: RecordProof): readonly string[] {
  return [
    oneLine(record),
    `hash      ${record.hash}`,
    `computed  ${computed}`,
    `prev      ${record.prev}`,
    `before    ${before ?? 'cannot be read'}`,
    `after     ${after ?? 'none: it is the last record'}`,
    problem === undefined
      ? 'It is whole and in its place.'
      : `It is BROKEN: record ${record.seq} ${problem}`,
  ]
}
