/** Answers sentences whose meaning is fixed, before anything is planned: no planner and no model sees them. */
import type { Message } from '../kernel/receive.ts'
import { questionsOf, type Turn } from './carry-out.ts'
import { runFlow } from './run-flow.ts'
import { smallTalk } from './small-talk.ts'
import { done, failed, type Said, type Standing } from './standing.ts'
import { ownText } from './synthesize.ts'
import { takeSchedule } from './take-schedule.ts'
import { takeWatch } from './take-watch.ts'
import { teachingWords, type TeachingWords } from './taught-sentences.ts'
import type { TurnDeps } from './turn-deps.ts'

export interface Heard {
  readonly words: string
  readonly message: Message
  readonly standing: Standing
}

/** Sentences with one fixed meaning: small talk, `save this as NAME`, `run NAME`, schedules, watches, and teaching. */
export async function answerFixed(
  deps: TurnDeps,
  heard: Heard,
  turn: Turn,
): Promise<Said | undefined> {
  const { words, message } = heard
  const talk = smallTalk(words)
  if (talk !== undefined) return done(ownText(talk))
  const taught = teachingWords(words)
  if (taught) return await learn(deps, taught)
  const scheduled = await takeSchedule(deps, words, message)
  const watched = scheduled ?? (await takeWatch(deps, words, message, turn))
  return watched ?? (await answerFlow(deps, heard, turn))
}

async function answerFlow(deps: TurnDeps, heard: Heard, turn: Turn): Promise<Said | undefined> {
  const { words, standing } = heard
  const saveAs = SAVE.exec(words)?.[1]?.toLowerCase()
  if (saveAs !== undefined) return done(ownText(await save(deps, saveAs, standing)))
  const name = RUN.exec(words)?.[1]?.toLowerCase()
  const isSaved = name !== undefined && (await deps.flows.saved()).some((one) => one.name === name)
  return isSaved ? await runSaved(deps, name, heard, turn) : undefined
}

const SAVE =
  /^\/?save(?: (?:this|that|it))?(?: (?:plan|flow))?(?: as)? ([a-z0-9][\w-]{0,63})[.!]?$/i
const RUN = /^run(?: the)?(?: flow)? ([a-z0-9][\w-]{0,63})[.!]?$/i

const NOTHING_TO_SAVE = 'There is no plan to save yet. Ask for something first, then say it again.'

async function save({ flows }: TurnDeps, name: string, standing: Standing): Promise<string> {
  const { worked, unsaved = NOTHING_TO_SAVE } = standing
  if (!worked) return unsaved
  const { nodes } = await flows.save(name, { kind: 'ir', ir: worked.flow }, false)
  return `Saved as ${name}: ${nodes.join(' >> ')}. Say \`run ${name}\` to run it, or \`run ${name} every weekday at 8\`.`
}

async function learn({ flows, taught }: TurnDeps, said: TeachingWords): Promise<Said> {
  const { sentence } = said
  if (said.kind === 'forget') {
    const isGone = await taught.forget(sentence)
    if (!isGone) return failed(ownText(`Nobody taught me what ${JSON.stringify(sentence)} means.`))
    return done(ownText(`Forgotten: ${JSON.stringify(sentence)} means nothing special any more.`))
  }
  const saved = await flows.saved()
  if (!saved.some(({ name }) => name === said.flow)) {
    const names = saved.map(({ name }) => name).join(', ') || 'none yet'
    return failed(ownText(`There is no saved flow ${said.flow}. Saved: ${names}.`))
  }
  if (!(await taught.teach(sentence, said.flow))) {
    return failed(
      ownText('I cannot learn that: it is too long, or I was taught 200 sentences already.'),
    )
  }
  return done(ownText(`When you say ${JSON.stringify(sentence)}, I run ${said.flow}.`))
}

export async function runSaved(
  deps: TurnDeps,
  name: string,
  { message, standing }: Heard,
  { record, signal }: Turn,
): Promise<Said> {
  const source = { kind: 'saved', name } as const
  const onQuestion = questionsOf(standing, record)
  const run = { source, labelled: {}, message, record, onQuestion }
  // A model inside the flow has read the results also if the run fails or is stopped.
  standing.isAfterOthers = true
  const { answer, hasWorked } = await runFlow(deps, run, signal)
  return hasWorked ? done(answer) : failed(answer)
}
