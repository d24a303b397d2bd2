/**
 * The open question after "connect X" for an X that nobody knows: is there a package, or is its site enough? "No, just
 * use generic" and the name of a package are answers to it; any other message passes by. Kept in memory only.
 */
import { QUESTION_MS } from '../connection/connection.ts'
import { type ConnectCommand, pastedWordIn } from '../resolve/connect-command.ts'

export interface UnknownQuestion {
  /** The name was not found. Its site, if a word of it could be one, is what "generic" then means. */
  asked(name: string): void
  /** The question is over: another command was given. */
  drop(): void
  /** The command that the answer stands for; `no-site` if the generic server is wanted and its site is not known. */
  answer(text: string): ConnectCommand | 'no-site' | undefined
}

export const NO_SITE =
  'The generic server needs the address of the site: say `connect DOMAIN`, like `connect tracker.example.com`.'

const MOST_WORDS = 8
const GENERIC = /\bgeneric\b|^(?:no|nope|there is none|there isn.t)\b/i
const PACKAGE =
  /^(?:(?<yes>(?:yes|yep|it.s|it is|use)\b[\s,:]*)+)?(?<name>(?:@[\w.-]+\/)?[a-z0-9][\w.-]*)[.!]?$/i

export function createUnknownQuestion(now: () => number): UnknownQuestion {
  let open: { readonly site?: string; readonly until: number } | undefined
  return {
    asked(name) {
      const site = pastedWordIn(name)
      open = { until: now() + QUESTION_MS, ...(site !== undefined && { site }) }
    },
    drop() {
      open = undefined
    },
    answer(text) {
      if (!open || now() > open.until) return undefined
      const said = text.trim()
      if (said.split(/\s+/).length > MOST_WORDS) return undefined
      const { site } = open
      const wanted = packageIn(said)
      if (wanted !== undefined) return { isCertain: true, rest: `npx ${wanted}` }
      if (!GENERIC.test(said)) return undefined
      return site === undefined ? 'no-site' : { isCertain: true, rest: site }
    },
  }
}

/** A bare word is a package only if it looks like one: "thanks" is none. */
function packageIn(said: string): string | undefined {
  const { yes, name = '' } = PACKAGE.exec(said)?.groups ?? {}
  const isOne = name.startsWith('@') ? name.includes('/') : yes !== undefined || /mcp/i.test(name)
  return isOne && !GENERIC.test(name) ? name.replace(/[.!]$/, '') : undefined
}
