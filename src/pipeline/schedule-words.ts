/**
 * Sentences about schedules: `run morning-digest every weekday at 8 and tell me on telegram`, `schedules`, `stop running
 * morning-digest`. The rules come after the time: `every 10 minutes, one after the other, catching up all`. Only finds the
 * parts; `text/read-times.ts` reads the time. Pure.
 */
import type { CatchUp, Overlap } from '../text/say-rules.ts'

export type ScheduleWords =
  | {
      readonly kind: 'schedule'
      /** In lower case. */
      readonly flow: string
      readonly times: string
      /** Absent: the channel in which it is said. */
      readonly channel?: Channel
      readonly rules?: ScheduleRules
    }
  | { readonly kind: 'stop'; readonly flow: string }
  | { readonly kind: 'list' }

export interface ScheduleRules {
  readonly overlap?: Overlap
  readonly catchUp?: CatchUp
}

export type Channel = 'telegram' | 'here'

const NAME = String.raw`([a-z0-9][\w-]{0,63})`
const RUN = new RegExp(
  String.raw`^(?:please )?(?:run|schedule|start)(?: the)?(?: flow)? ${NAME}(?: to run)?,? (\S.*)$`,
  'i',
)
const RUN_LAST = new RegExp(
  String.raw`^(?:please )?((?:every|each|on|at|tomorrow|today|tonight|in|daily|weekdays|hourly)\b.*?),? (?:run|start)(?: the)?(?: flow)? ${NAME}$`,
  'i',
)
const STOP = new RegExp(
  String.raw`^(?:please )?(?:(?:stop|quit) (?:running|scheduling)|unschedule|(?:do not|don't|no longer) run)(?: the)?(?: flow)? ${NAME}(?: any ?more| by itself)?$`,
  'i',
)
const LIST =
  /^(?:\/?(?:(?:list|show)(?: me)?(?: my| the)? )?schedules|what (?:is|have you) scheduled|what runs by itself)$/i
const TELL =
  /,?(?: and| then)? ?(?:tell|message|send|notify|ping)(?: it| me| the result)?(?: to me| it)?(?: on| in| via| to| by)?(?: my| the)? (telegram|here|terminal|page)$/i

/** Words at the end of a sentence, and the rule that they mean. */
const RULES: readonly (readonly [RegExp, ScheduleRules])[] = (
  [
    [
      'skip(?:ping)?(?: it| a run)? (?:if|when|while)(?: it| one)?(?: is)? still (?:runs|running)',
      { overlap: 'skip' },
    ],
    ['one at a time', { overlap: 'one' }],
    ['(?:one after (?:the other|another)|queued?|in a queue)', { overlap: 'queue' }],
    [
      '(?:together|even (?:if|when|while)(?: it| one)?(?: is)? still (?:runs|running))',
      { overlap: 'together' },
    ],
    [
      '(?:catch(?:ing)? up (?:on )?all|(?:run )?all (?:that were )?missed(?: runs| times| ones)?)',
      { catchUp: 'all' },
    ],
    ['catch(?:ing)? up once', { catchUp: 'once' }],
    [
      "(?:(?:do not|don't|without|no|never) catch(?:ing)?[ -]up|catch(?:ing)? up none)",
      { catchUp: 'none' },
    ],
  ] as const
).map(([words, rule]) => [new RegExp(String.raw`,?(?: and)? ${words}$`, 'i'), rule])

/** The first word of every time that `text/read-times.ts` knows. `run backup script` names no time. */
const TIME =
  /^(?:every|each|daily|hourly|monthly|on|at|from|in|once|today|tonight|tomorrow|this|next|weekdays?|weekends?|workdays?|(?:mon|tues?|wed(?:nes)?|thu(?:rs?)?|fri|sat(?:ur)?|sun)(?:days?)?)\b/i

export function scheduleWords(words: string): ScheduleWords | undefined {
  const said = words
    .trim()
    .replace(/[.!?]+$/, '')
    .trim()
  if (LIST.test(said)) return { kind: 'list' }
  const stopped = STOP.exec(said)?.[1]
  if (stopped !== undefined) return { kind: 'stop', flow: stopped.toLowerCase() }
  const { words: rest, ...told } = withoutChannel(said)
  const found = flowAndTimes(rest)
  if (!found || !TIME.test(found.times)) return undefined
  const { words: times, rules } = withoutRules(found.times)
  const ruled = Object.keys(rules).length > 0 ? { rules } : {}
  return { kind: 'schedule', flow: found.flow, times, ...told, ...ruled }
}

/** The time may come last or first. */
function flowAndTimes(said: string): { readonly flow: string; readonly times: string } | undefined {
  const [, flow, times] = RUN.exec(said) ?? []
  if (flow !== undefined && times !== undefined) return { flow: flow.toLowerCase(), times }
  const [, before, last] = RUN_LAST.exec(said) ?? []
  if (last === undefined || before === undefined) return undefined
  return { flow: last.toLowerCase(), times: before }
}

/** `and tell me on telegram` at the end of a sentence, and the sentence without it. */
export function withoutChannel(words: string): {
  readonly words: string
  readonly channel?: Channel
} {
  const told = TELL.exec(words)
  return told ? { words: words.slice(0, told.index).trim(), ...channelIn(told[1]) } : { words }
}

/** Takes one rule after the other from the end of the sentence. */
function withoutRules(words: string): { readonly words: string; readonly rules: ScheduleRules } {
  for (const [said, rule] of RULES) {
    const found = said.exec(words)
    if (!found) continue
    const rest = withoutRules(words.slice(0, found.index).trim())
    return { words: rest.words, rules: { ...rule, ...rest.rules } }
  }
  return { words, rules: {} }
}

function channelIn(word: string | undefined): { readonly channel?: Channel } {
  if (word === undefined) return {}
  return { channel: word.toLowerCase() === 'telegram' ? 'telegram' : 'here' }
}
