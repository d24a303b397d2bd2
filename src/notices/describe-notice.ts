/** The sentences of a notice, and the command that helps. Pure; the texts in it were cleaned before. */
import type { NoticeKind } from '../ports/notice-port.ts'

interface NoticeFacts {
  readonly id: string
  readonly server: string
  readonly items: readonly string[]
  readonly reason: string
}

interface NoticeText {
  /** One sentence, without a full stop. */
  readonly what: string
  /** One imperative sentence, without a full stop. */
  readonly hint: string
}

type Describe = (facts: NoticeFacts) => NoticeText

const TEXTS: Readonly<Record<NoticeKind, Describe>> = {
  'sign-in': ({ server, reason }) => ({
    what: `The sign-in of ${server} is over${because(reason)}`,
    hint: `Sign in again with \`cordon connect ${server}\``,
  }),
  scopes: ({ server, items }) => ({
    what: `${server} wants more permissions${list(items)}`,
    hint: `Sign in again with \`cordon connect ${server}\` to grant them`,
  }),
  'given-up': ({ server, reason }) => ({
    what: `${server} was given up: it ${reason}`,
    hint: `See why with \`cordon mcp logs ${server}\`, then start it with \`cordon mcp start ${server}\``,
  }),
  quarantine: ({ server, items }) => ({
    what: `${server} has tools that are new or changed, and cannot be called yet${list(items)}`,
    hint: `Look at them and accept them with \`cordon mcp accept ${server}\``,
  }),
  blocked: ({ id, server, items }) => ({
    what: `${server} tried to reach hosts that are not on its list, and was stopped${list(items)}`,
    hint: `Allow them with \`cordon notices allow ${id}\`; ${server} can then send them anything it knows`,
  }),
  update: ({ server, items, reason }) => ({
    what: `${server} has a newer version${list(items)}`,
    hint:
      reason === ''
        ? `See what changes and take it with \`cordon mcp upgrade ${server}\`; until then the version in use stays`
        : `It is offered, not needed: ${reason}`,
  }),
  withdrawn: ({ server, items, reason }) => ({
    what: `${server} uses a version that was withdrawn${list(items)}${because(reason)}`,
    hint: `Take another version with \`cordon mcp upgrade ${server}\`, or remove it with \`cordon mcp remove ${server}\``,
  }),
  approval: ({ server, items }) => ({
    what: `A question about ${server} waits for your answer${list(items)}`,
    hint: 'Read it with `cordon approvals list`, and answer within five minutes; no answer is a no',
  }),
  late: ({ items, reason }) => ({
    what: `I was away ${reason}, these ran late${list(items)}`,
    hint: 'See what came of them with `cordon flow runs`',
  }),
  stuck: ({ server, items: [flow = ''] }) => ({
    what: `A run of ${flow} waits for your word: Cordon ended several times in a row while it worked on it`,
    hint: `See how far it got with \`cordon flow show ${server}\`; \`cordon flow resume ${server} --retry\` goes on, \`--fail\` ends it`,
  }),
  watch: ({ server, items, reason }) => ({
    what: `${reason} changed${list(items)}`,
    hint: `Ask to see it; \`stop watching ${server.replace('watch-', '')}\` in a chat ends the watch`,
  }),
  'watch-failed': ({ server, items, reason }) => ({
    what: `I could not look at ${items.join(', ')}${because(reason)}`,
    hint: `It is tried again; \`stop watching ${server.replace('watch-', '')}\` in a chat ends the watch`,
  }),
  result: ({ server, items: [run], reason }) => ({
    what: `${server} ${reason}`,
    hint:
      run === undefined
        ? 'See when it runs with `cordon flow schedules`'
        : `See all of it with \`cordon flow show ${run}\``,
  }),
  asks: ({ server, items: [run = ''], reason }) => ({
    what: `${server} waits for your answer${because(reason)}`,
    hint: `Read the question and answer it with \`cordon flow resume ${run}\``,
  }),
  credential: ({ server, items }) => ({
    what: `A call of ${server} was stopped, since it held a credential from the vault${list(items)}`,
    hint: 'See the call with `cordon audit tail`',
  }),
}

/** Undefined for a kind that a newer version of Cordon has stored. */
export function describeNotice(kind: string, facts: NoticeFacts): NoticeText | undefined {
  return isKind(kind) ? TEXTS[kind](facts) : undefined
}

function isKind(kind: string): kind is NoticeKind {
  return Object.hasOwn(TEXTS, kind)
}

function because(reason: string): string {
  return reason === '' ? '' : `: ${reason}`
}

function list(items: readonly string[]): string {
  return items.length === 0 ? '' : `: ${items.join(', ')}`
}
