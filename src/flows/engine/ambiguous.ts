/**
 * A call that may have happened, which only the owner can find out. The run waits for their answer, across restarts,
 * and then does as they say: make the call again, take it as done, or fail.
 */
import type { FlowQuestion } from '../../ports/flow-port.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { kept } from '../operators/peek.ts'
import type { CallStep } from './call-step.ts'
import type { StoredStep } from '../runs/flow-runtime.ts'
import { type Answered, asJson, nameOf, noteOf, type StepResult } from './journal.ts'
import type { RunContext } from './run-context.ts'
import { RunParked, StepFailed } from './run-ends.ts'

export const CHOICES = ['retry', 'done', 'fail'] as const

/** For a call whose process died: asks the owner, or follows their answer. Undefined if the call is to be repeated. */
export async function whatHappened(
  context: RunContext,
  step: CallStep,
  begun: StoredStep,
  questions: readonly StoredStep[],
): Promise<StepResult | undefined> {
  const question = questions.find(({ name }) => name === questionName(begun))
  if (!question) return await askWhatHappened(context, step, begun, DIED)
  const { run } = context
  const answer = question.state === 'done' ? question.result : await run.answerTo(question)
  if (answer === undefined) throw new RunParked()
  if (question.state !== 'done') await run.done(question, answer)
  return await follow(context, step, begun, answer as unknown as Answered)
}

const DIED = 'Its process ended before an answer came'

export async function askWhatHappened(
  context: RunContext,
  step: CallStep,
  begun: StoredStep,
  why: string,
): Promise<never> {
  const name = questionName(begun)
  const question: FlowQuestion = {
    id: name,
    kind: 'ambiguous',
    node: step.place.node,
    text: textFor(step, begun, why),
    choices: CHOICES,
  }
  await context.run.ask(name, asJson({ question, step: nameOf(step.place) }))
  context.deps.events.tell(context.run.id, {
    kind: 'waits',
    node: step.place.node,
    text: question.text,
  })
  throw new RunParked()
}

/** Each try has a question of its own. */
function questionName(begun: StoredStep): string {
  return `${begun.name}?${begun.number}`
}

/** Written by the host: the tool that was called, when, and with which arguments. */
function textFor({ turn, place }: CallStep, begun: StoredStep, why: string): string {
  const { tool, serverName } = turn.planned
  const { at, args } = noteOf(begun)
  const what = args.map(({ name, shown }) => `${name}: ${shown}`).join(', ')
  const where = tool ? `${showTool(tool)} (${serverName ?? tool.server})` : place.node
  return (
    `${nameOf(place)} was sent to ${where} at ${at}${what === '' ? '' : ` with ${what}`}. ${why}, ` +
    'so it may or may not have been done. Look there, then say `retry` to send it again, `done` to go on as if it was ' +
    'done, or `fail` to end the run.'
  )
}

async function follow(
  { run }: RunContext,
  { place }: CallStep,
  begun: StoredStep,
  { choice, value = null }: Answered,
): Promise<StepResult | undefined> {
  if (choice === 'retry') {
    const message = 'It may have been done; the owner had it sent again'
    await run.failed(begun, asJson({ action: 'error', message, isInterrupted: true }))
    return undefined
  }
  if (choice === 'done') {
    const said = new Labelled(value, { label: OWN_WORDS, from: { kind: 'user' } })
    const result: StepResult = { kind: 'value', value: kept(said), outputs: [] }
    await run.done(begun, asJson(result))
    return result
  }
  const message = `Cannot go on after ${JSON.stringify(nameOf(place))}: it may or may not have been done`
  const hint = 'Look at it with `cordon flow show RUN`, then start the flow again if that is safe'
  const problem = { code: 'flows.ambiguous', message, hint, node: place.node }
  await run.failed(begun, asJson({ action: 'error', message, problem }))
  throw new StepFailed(problem)
}
