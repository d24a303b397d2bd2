/** A planner over a few tools, as tests of this folder use it. Its cards are written by hand; its search ranks nothing. */
import type { Effect } from '../../kernel/effect.ts'
import type { Handle, Planned, PlanRequest, TaughtSentence } from '../plan-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { showTool } from '../../kernel/tool-id.ts'
import type { CardArgument, ToolCard } from '../../ports/tool-view.ts'
import { canonicalJson, type Json } from '../../text/json.ts'
import { createOfflinePlanner, type OfflinePlanner } from './create-offline-planner.ts'

/** `effect server.tool required:type optional?:type …`. */
const TOOLS = `
  local-read files.read_text_file path:string head?:number
  local-read files.list_directory path:string
  local-read files.search_files path:string pattern:string
  write files.write_file path:string content:string
  write files.move_file source:string destination:string
  write notes.add_note text:string
  write ~memory.remember text:any
  remote-read notes.search_notes query:string
  remote-read github.search_repositories query:string
  remote-read github.search_issues q:string
  remote-read github.get_issue owner:string repo:string issue_number:number
  write github.create_issue owner:string repo:string title:string body?:string
  destructive github.delete_branch owner:string repo:string branch:string
  write slack.post_message channel_id:string text:string
  remote-read slack.list_channels limit?:number
  write discord.send_message channelId:string message:string
  remote-read calendar.list_events calendarId:string timeMin?:string timeMax?:string
  write calendar.create_event calendarId:string summary:string start:string end:string
  write mail.send_email to:string[] subject:string text:string
  exec sqlite.execute_sql sql:string
`

export const CARDS: readonly ToolCard[] = TOOLS.trim().split('\n').map(cardOf)

function cardOf(row: string): ToolCard {
  const [effect = '', key = '', ...args] = row.trim().split(' ')
  const [server = '', name = ''] = key.split('.')
  const id = { server: server as ServerId, name }
  return { id, title: name, summary: name, effect: effect as Effect, args: args.map(argumentOf) }
}

function argumentOf(shape: string): CardArgument {
  const [name = '', type = ''] = shape.split(':')
  return {
    name: name.replace('?', ''),
    type,
    isRequired: !name.endsWith('?'),
    role: 'target',
  }
}

export function createTestPlanner(
  cards: readonly ToolCard[] = CARDS,
  taught: readonly TaughtSentence[] = [],
): OfflinePlanner {
  const tools = {
    list: async () => cards.map((card) => ({ card })),
    search: async () => [],
  }
  return createOfflinePlanner({ tools, taught: () => taught })
}

/** Monday, 16 November 2026, at noon in Berlin. */
export function requestOf(words: string, handles: readonly Handle[] = []): PlanRequest {
  return { words, handles, now: Date.UTC(2026, 10, 16, 11), timezone: 'Europe/Berlin' }
}

export const never: AbortSignal = new AbortController().signal

/** `slack.post_message {"channel_id":"C1","text":"$step0"} >> …`, or the kind with its text. */
export function showPlanned(planned: Planned | undefined): string {
  if (planned === undefined) return 'no answer'
  if (planned.kind === 'flow') return `flow ${planned.name}`
  if (planned.kind === 'unable') return `unable: ${planned.reason}`
  if (planned.kind === 'question') return [`asks: ${planned.text}`, ...planned.choices].join(' | ')
  const steps = planned.plan.steps.map(({ tool, args }) => {
    const shown = Object.entries(args).map(([name, value]): [string, Json] => {
      if (value.kind === 'step') return [name, `$step${value.step}`]
      if (value.kind === 'literal') return [name, value.value]
      return [name, value.kind === 'handle' ? `$${value.name}` : value.kind]
    })
    return `${showTool(tool)} ${canonicalJson(Object.fromEntries(shown))}`
  })
  return steps.join(' >> ')
}
