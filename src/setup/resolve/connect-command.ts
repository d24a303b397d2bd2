/** Parses "connect notion" and similar commands. Pure; another file finds out whether the name means a service. */

export interface ConnectCommand {
  /** True for `connect` and `integrate`; the other verbs are ambiguous: "add milk" is no command. */
  readonly isCertain: boolean
  /** The name of the service, as it was written. */
  readonly rest: string
}

const COMMAND = /^(\/?connect|add|setup|set\s+up|integrate|enable)\s+(\S[\s\S]*)$/i
const FILLER = /^(?:(?:to|with|my|our|the|a|an)\s+)+/i

export function parseConnectCommand(text: string): ConnectCommand | undefined {
  const match = COMMAND.exec(text.trim())
  const [, verb = '', named = ''] = match ?? []
  if (!match) return undefined
  const isCertain = /^(?:\/?connect|integrate)$/i.test(verb)
  const rest = withoutCourtesy(named.replace(FILLER, ''))
  return rest === '' ? undefined : { isCertain, rest }
}

const BARE_LINE =
  /^(?:[$>] )?(?:[A-Z_][A-Z0-9_]*=\S+ )*(?:npx|bunx|pnpx|uvx|(?:pnpm|yarn) dlx|npm exec|pipx run|(?:docker|podman) run) +\S/
const BARE_URL = /^https?:\/\/\S+$/i

/** A line that can only mean "connect this": `npx …` and the like, or an address alone. */
export function parseBareLine(text: string): ConnectCommand | undefined {
  const rest = text.trim()
  return BARE_LINE.test(rest) || BARE_URL.test(rest) ? { isCertain: true, rest } : undefined
}

/** Scans from the end: one regular expression for all of it would take quadratic time on a long message. */
function withoutCourtesy(text: string): string {
  let end = text.length
  while (end > 0 && /[\s.!?]/.test(text.charAt(end - 1))) end -= 1
  const said = text.slice(0, end)
  if (!/\splease$/i.test(said.slice(-7))) return said
  return said.slice(0, -7).trimEnd().replace(/,$/, '')
}

const PROGRAM = /^(?:npx|bunx|pnpx|pnpm|yarn|npm|uvx|pipx|docker|podman|node)\s/i
const PASTED_WORD = /[/@:]|[a-z0-9]\.[a-z]{2,}/i

/** A command line, a link, a package with a scope, a domain or a server.json, rather than a name. */
export function looksPasted(text: string): boolean {
  return isWhole(text) || PASTED_WORD.test(text)
}

/** The one word of a sentence that could be pasted: "our tracker at tracker.example.com". */
export function pastedWordIn(text: string): string | undefined {
  const words = text.split(/\s+/)
  if (words.length === 1 || isWhole(text)) return undefined
  return words.find((word) => PASTED_WORD.test(word))
}

/** Short enough to be a name. Anything longer is conversation. */
export function couldBeName(text: string): boolean {
  return text.length <= 50 && text.split(/\s+/).length <= 3
}

function isWhole(text: string): boolean {
  return PROGRAM.test(text) || BARE_LINE.test(text) || text.startsWith('{')
}
