/** Answers sentences about watches. A watch is planned once, when it is set, and only if every step of its plan reads. */
import { isRead } from '../kernel/effect.ts'
import type { Message } from '../kernel/receive.ts'
import type { Turn } from './carry-out.ts'
import { MOST_WATCHES, type Watch } from './open-watches.ts'
import { expandPaths } from './expand-paths.ts'
import { planFlow } from './plan-flow.ts'
import { done, failed, type Said } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'
import { sinkFor } from './take-schedule.ts'
import { withoutChannel } from './schedule-words.ts'
import { showSink } from '../text/show-receipts.ts'
import { showInterval } from '../text/show-interval.ts'
import { watchWords } from './watch-words.ts'

/** Undefined if the words are not about watches. */
export async function takeWatch(
  deps: TurnDeps,
  words: string,
  message: Message,
  turn: Turn,
): Promise<Said | undefined> {
  const { words: rest, channel } = withoutChannel(words.trim().replace(/[.!]$/, ''))
  const wanted = watchWords(rest)
  if (!wanted) return undefined
  if (wanted.kind === 'list') return done(ownText(showAll(await deps.watches.list())))
  if (wanted.kind === 'stop') {
    const gone = await deps.watches.remove(wanted.number)
    return gone
      ? done(ownText(`I no longer watch ${gone.about}.`))
      : failed(ownText(`There is no watch ${wanted.number}. \`watches\` lists them.`))
  }
  return await setWatch(deps, { ...wanted, sink: sinkFor(message, channel) }, message, turn)
}

async function setWatch(
  deps: TurnDeps,
  { about, everyMs, sink }: Pick<Watch, 'about' | 'everyMs'> & { readonly sink: string },
  message: Message,
  { signal }: Turn,
): Promise<Said> {
  if ((await deps.watches.list()).length >= MOST_WATCHES) {
    return failed(
      ownText(`I watch ${MOST_WATCHES} things already. Stop one with \`stop watching N\`.`),
    )
  }
  const now = { handles: [], now: deps.now(), timezone: deps.timezone }
  const asked = await Promise.all(
    [about, `read ${about}`].map((words) => deps.planner.plan({ words, ...now }, signal)),
  )
  // A plan that has to be continued by its planner is no look at one thing.
  const planned = asked.filter((one) => one.kind === 'plan').find(({ plan }) => !plan.needsMore)
  if (!planned)
    return failed(
      ownText(
        `I do not know how to look at ${about}. Say it as you would ask for it: watch list ~/notes`,
      ),
    )
  const plan = await expandPaths(deps, planned.plan)
  const ir = planFlow(plan, `watch ${about}`, await deps.flows.nodes())
  const { folder } = message
  const source = { kind: 'ir', ir, ...(folder !== undefined && { folder }) } as const
  const { steps, findings } = await deps.flows.check(source, [], signal)
  const error = findings.find(({ severity }) => severity === 'error')
  if (error) return failed(ownText(`I cannot watch that: ${error.message}. ${error.hint}.`))
  const odd = steps.find(({ effect, verdict }) => !isRead(effect) || verdict !== 'allow')
  if (odd)
    return failed(
      ownText(`I cannot watch that: ${odd.tool} does more than read what I may read unasked.`),
    )
  const { number } = await deps.watches.add({ about, ir, everyMs, sink })
  const tools = steps.map(({ tool }) => tool).join(', ')
  return done(
    ownText(
      `I watch ${about} with ${tools}, every ${showInterval(everyMs)}, and tell you when it changed, on ${showSink(sink)}. It costs no model. \`stop watching ${number}\` ends it.`,
    ),
  )
}

function showAll(watches: readonly Watch[]): string {
  if (watches.length === 0) return 'I watch nothing. Try: tell me when ~/notes/todo.txt changes'
  const lines = watches.map(({ number, about, everyMs, hasFailed }) => {
    const trouble = hasFailed ? ' (the last look failed)' : ''
    return `  ${number}. ${about}, every ${showInterval(everyMs)}${trouble}`
  })
  return ['I watch:', ...lines].join('\n')
}
