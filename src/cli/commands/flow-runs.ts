/** `flow show|runs|cancel|resume`: present and past runs, and answers to their questions. */
import type { Command } from 'commander'
import type { Api } from '../../api/contract.ts'
import { CordonError } from '../../kernel/error.ts'
import { printable } from '../../text/untrusted-text.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import { RUN_STATES, type RunState } from '../../kernel/run-state.ts'
import type { Json } from '../../text/json.ts'
import { type Context, outputOf, withApi } from '../context.ts'
import { describeRuns, describeTrace } from '../flow/flow-view.ts'
import { attendRun } from '../flow/run-flow.ts'
import { printableLine } from '../output.ts'
import { pastTime } from './past-time.ts'
import { wholeNumber } from './whole-number.ts'

interface RunsOptions {
  readonly state?: string
  readonly flow?: string
  readonly since?: string
  readonly limit: number
}

export function addFlowRunCommands(flow: Command, context: Context): void {
  addShow(flow, context)
  flow
    .command('runs')
    .description('list the runs, the newest first; those that ended 30 days ago are forgotten')
    .option('--state <state>', RUN_STATES.join(', '))
    .option('--flow <name>', 'only those of this flow')
    .option('--since <when>', 'from this time on: 2026-11-15, 2026-11-15T08:00, 2h, yesterday')
    .option('--limit <number>', 'how many', wholeNumber, 20)
    .addHelpText('after', '\nExample:\n  $ cordon flow runs --flow digest --since 2d')
    .action(async (options: RunsOptions, command: Command) => {
      const { limit, flow } = options
      const state = stateFrom(options.state)
      const since = options.since === undefined ? undefined : pastTime(options.since, new Date())
      const query = {
        limit,
        ...(state && { state }),
        ...(flow !== undefined && { flow }),
        ...(since && { since: since.toISOString() }),
      }
      const answer = await withApi(context, command, (api) => api.call('flows.runs', query))
      outputOf(context, command).answer(answer, () => describeRuns(answer.runs))
    })
  flow
    .command('cancel')
    .argument('<run>')
    .description('stop a run; nothing of it goes on')
    .addHelpText('after', '\nExample:\n  $ cordon flow cancel 0198c1a2-…')
    .action(async (id: string, _options: object, command: Command) => {
      const run = await withApi(context, command, (api) => api.call('flows.cancel', { id }))
      outputOf(context, command).answer(run, () => [`Run ${run.id} is ${run.state}.`])
    })
  addResume(flow, context)
}

/** The id of a run is a UUID made by the kernel; the name of a flow is chosen by a person. */
const RUN_ID = /^[0-9a-f]{8}-[0-9a-f-]{27}$/

function addShow(flow: Command, context: Context): void {
  flow
    .command('show')
    .argument('<run-or-name>')
    .description(
      'show a run step by step: times, labels, where each value came from; or a saved flow',
    )
    .addHelpText('after', '\nExample:\n  $ cordon flow show todos')
    .action(async (word: string, _options: object, command: Command) => {
      await withApi(context, command, async (api) => {
        const output = outputOf(context, command)
        if (RUN_ID.test(word)) {
          const trace = await api.call('flows.show', { id: word })
          return output.answer(trace, () => describeTrace(trace))
        }
        const saved = await api.call('flows.read', { name: word })
        output.answer(saved, () => [
          printable(saved.text?.trimEnd() ?? JSON.stringify(saved.ir, undefined, 2)),
        ])
      })
    })
}

interface ResumeOptions {
  readonly retry?: boolean
  readonly done?: boolean
  readonly fail?: boolean
  readonly value?: string
  readonly wait?: boolean
}

function addResume(flow: Command, context: Context): void {
  flow
    .command('resume')
    .argument('<run>')
    .description('answer what a run asks, and attend it to its end')
    .option('--retry', 'call it again: it was not done; or let a run that failed go on')
    .option('--done', 'it was done; go on, with `--value` where it gave something')
    .option('--fail', 'it failed; or: what is asked is not for them to know')
    .option('--value <json>', 'what it gave, or what is asked for')
    .option('--wait', 'wait until questions are answered elsewhere')
    .addHelpText(
      'after',
      '\nExample:\n  $ cordon flow resume 0198c1a2-… --done --value \'{"id": 7}\'',
    )
    .action(async (id: string, options: ResumeOptions, command: Command) => {
      await withApi(context, command, async (api) => {
        await answerRun(api, id, options)
        await attendRun(context, command, api, { id, wait: options.wait === true })
      })
    })
}

/** Answers the question of a run, if it has one; with `--retry` resumes a failed run. */
async function answerRun(api: Api, id: string, options: ResumeOptions): Promise<void> {
  const { question, state } = await api.call('flows.show', { id })
  if (state === 'failed' && options.retry) {
    await api.call('flows.answer', { id, question: 'failed', choice: 'retry' })
  }
  if (!question) return
  const value = options.value === undefined ? undefined : parseValue(options.value)
  const choice = choiceFrom(question, options)
  await api.call('flows.answer', {
    id,
    question: question.id,
    choice,
    ...(value !== undefined && { value }),
  })
}

function choiceFrom(question: FlowQuestion, options: ResumeOptions): string {
  const said = (['retry', 'done', 'fail'] as const).filter((choice) => options[choice])
  const [choice] = said
  if (question.kind === 'input' && choice === 'fail') return 'decline'
  if (choice !== undefined && said.length === 1) return choice
  if (choice === undefined && question.kind === 'input' && options.value !== undefined) {
    return question.choices[0] ?? 'done'
  }
  throw new CordonError(
    'cli.choice',
    { exit: 2, hint: 'Add one of `--retry`, `--done`, `--fail`, or `--value` for what is asked' },
    `Cannot go on without one answer: ${printableLine(question.text)}`,
  )
}

function parseValue(text: string): Json {
  try {
    return JSON.parse(text) as Json
  } catch {
    throw new CordonError(
      'cli.value',
      { exit: 2, hint: 'Write it as JSON, texts in double quotes: `--value \'"done"\'`' },
      'Cannot read the value as JSON',
    )
  }
}

function stateFrom(word: string | undefined): RunState | undefined {
  const state = RUN_STATES.find((one) => one === word)
  if (state || word === undefined) return state
  throw new CordonError(
    'cli.state',
    { exit: 2, hint: `Use one of ${RUN_STATES.join(', ')}` },
    `Cannot look for runs that are ${JSON.stringify(word)}`,
  )
}
