/**
 * Answers sentences about schedules. The answer repeats the times in words, with the next one, where the result goes, and
 * what the runs will ask: a schedule that was misunderstood is seen at once. No planner and no model takes part.
 */
import type { Message } from '../kernel/receive.ts'
import type { MadeSchedule, ShownSchedule } from '../ports/schedule-port.ts'
import { ownTemplate } from '../text/own-template.ts'
import { OWNER_SINK, TELEGRAM_SINK } from '../labels/sink.ts'
import { showMoment } from '../text/local-time.ts'
import { readTimes } from '../text/read-times.ts'
import { sayRules, USUAL_RULES } from '../text/say-rules.ts'
import { sayTimes } from '../text/say-times.ts'
import { showReceipts, showSink } from '../text/show-receipts.ts'
import { type Channel, scheduleWords, type ScheduleWords } from './schedule-words.ts'
import { done, failed, type Said } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'

/** Undefined if the words are not about schedules. */
export async function takeSchedule(
  deps: TurnDeps,
  words: string,
  message: Message,
): Promise<Said | undefined> {
  const wanted = scheduleWords(words)
  if (!wanted) return undefined
  if (wanted.kind === 'list') return done(ownText(showAll(deps, await deps.schedules.list())))
  const saved = (await deps.flows.saved()).find(({ name }) => name.toLowerCase() === wanted.flow)
  const scheduled = (await deps.schedules.list()).find(
    ({ name }) => name.toLowerCase() === wanted.flow,
  )
  // "run the report on friday" may be a request to a tool: only the name of a saved flow makes it a schedule.
  if (!saved && !scheduled) return undefined
  if (message.channel === 'page') return failed(ownText(NOT_ON_THE_PAGE))
  if (wanted.kind === 'stop') return await stop(deps, wanted.flow, scheduled)
  return saved ? await schedule(deps, wanted, saved.name, message) : undefined
}

const NOT_ON_THE_PAGE =
  'What runs by itself is set and stopped in the terminal or on Telegram, so that no page in a browser can do it.'

async function stop(
  { schedules }: TurnDeps,
  flow: string,
  scheduled: ShownSchedule | undefined,
): Promise<Said> {
  if (!scheduled) return failed(ownText(`${flow} does not run by itself.`))
  await schedules.remove(scheduled.name)
  return done(
    ownText(`${scheduled.name} no longer runs by itself. It ran ${sayTimes(scheduled.cron)}.`),
  )
}

async function schedule(
  deps: TurnDeps,
  { times, channel, rules }: Extract<ScheduleWords, { kind: 'schedule' }>,
  name: string,
  message: Message,
): Promise<Said> {
  const { timezone } = deps
  const read = readTimes(times, { now: deps.schedules.now(), timezone })
  if (read.kind === 'unclear') return failed(ownText(read.reason))
  const sinks = [sinkFor(message, channel)]
  const { cron } = read
  const limits = { template: ownTemplate(name), inputs: {}, ...USUAL_RULES, ...rules }
  const made = await deps.schedules.put({ name, cron, timezone, sinks, ...limits })
  return done(ownText(sayMade(deps, made)))
}

function sayMade({ now }: TurnDeps, made: MadeSchedule): string {
  const { name, cron, timezone, next, sinks, remarks, overlap, catchUp } = made
  const isUsual = overlap === USUAL_RULES.overlap && catchUp === USUAL_RULES.catchUp
  const first = next === undefined ? 'never' : showMoment(Date.parse(next), timezone, now())
  return [
    `${name} runs ${sayTimes(cron)}. Next: ${first} (${timezone}). The result comes to ${sinks.map(showSink).join(', ')}.`,
    ...(isUsual ? [] : [`Rules: ${sayRules(made)}.`]),
    ...remarks,
    `\`stop running ${name}\` ends it.`,
  ].join('\n')
}

/** A group is no place for a result: it goes to the owner's own chat. */
export function sinkFor(message: Message, channel: Channel | undefined): string {
  const isTelegram = channel === undefined || channel === 'here' ? isOnTelegram(message) : true
  return isTelegram ? TELEGRAM_SINK.name : OWNER_SINK.name
}

function isOnTelegram({ ref }: Message): boolean {
  return ref?.channel === 'telegram'
}

function showAll({ now }: TurnDeps, schedules: readonly ShownSchedule[]): string {
  if (schedules.length === 0)
    return 'Nothing runs by itself. Try: save this as morning-digest, then: run morning-digest every weekday at 8'
  const lines = schedules.map((schedule) => {
    const { name, cron, timezone, next, sinks, problem, receipts = [] } = schedule
    const when = next === undefined ? 'never again' : showMoment(Date.parse(next), timezone, now())
    const where = sinks.map(showSink).join(', ')
    const last = showReceipts(receipts, timezone, now())
    const trouble = problem === undefined ? '' : `\n     it did not start: ${problem}`
    const rules = `\n     ${sayRules(schedule)}`
    return `  ${name} ${sayTimes(cron)}, to ${where}; next: ${when}${rules}${last}${trouble}`
  })
  return ['By itself runs:', ...lines].join('\n')
}
