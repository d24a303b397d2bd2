/**
 * A run over which one process after the other died, with nothing new on record. One more try would most likely end the
 * next process too, so the run is parked with a question, and goes on only when its owner says so.
 */
import type { FlowQuestion } from '../../ports/flow-port.ts'
import { shown } from '../flow-errors.ts'
import { type Answered, asJson } from '../engine/journal.ts'
import type { RunOutcome, StoredStep } from './flow-runtime.ts'
import type { HeldRun } from './held-run.ts'

/** So many processes in a row: a few may die of something else, such as a machine that is switched off. */
const MOST_LOSSES = 5
const PREFIX = 'stuck?'

const STUCK = {
  code: 'flows.stuck',
  message: `Cannot go on with the run: Cordon ended ${MOST_LOSSES} times in a row while it worked on it`,
  hint: 'Look at its last step with `cordon flow show RUN`; then `cordon flow resume RUN --retry` tries again',
}

type Asked = Pick<HeldRun, 'steps' | 'timesLost' | 'ask' | 'answerTo' | 'done'>

/** Undefined if the run may go on. */
export async function heedLosses(run: Asked): Promise<RunOutcome | undefined> {
  const open = run.steps.find(({ name, state }) => isAboutLosses(name) && state === 'begun')
  if (open) return await follow(run, open)
  if (run.timesLost < MOST_LOSSES) return undefined
  const last = run.steps.at(-1)
  const id = `${PREFIX}${last?.number ?? 0}`
  await run.ask(id, asJson({ question: questionFor(id, last), step: '' }))
  return { kind: 'parked', isStuck: true }
}

/** Whether a question with this id is about a run that is stuck. */
export function isAboutLosses(question: string): boolean {
  return question.startsWith(PREFIX)
}

async function follow(run: Asked, question: StoredStep): Promise<RunOutcome | undefined> {
  const answer = await run.answerTo(question)
  if (answer === undefined) return { kind: 'parked', isStuck: true }
  await run.done(question, answer)
  const { choice } = answer as unknown as Answered
  return choice === 'retry' ? undefined : { kind: 'failed', problem: { ...STUCK } }
}

function questionFor(id: string, last: StoredStep | undefined): FlowQuestion {
  const where = last ? `, the last time at ${shown(last.name)}` : ''
  return {
    id,
    kind: 'stuck',
    node: '',
    text:
      `Cordon ended ${MOST_LOSSES} times in a row while it worked on this run${where}, so the run waits. ` +
      'Say `retry` to go on with it, or `fail` to end it.',
    choices: ['retry', 'fail'],
  }
}
