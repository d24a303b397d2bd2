/** Translates the spellings of earlier programs. They still work, and a note tells the present spelling. Pure. */
import { editDistance } from '../../text/edit-distance.ts'

export interface Spelling {
  readonly args: readonly string[]
  /** Written to standard error. */
  readonly note?: string
}

/** `subcommands` are the names of the subcommands of `mcp`. */
export function readSpelling(args: readonly string[], subcommands: ReadonlySet<string>): Spelling {
  const at = args.findIndex((word) => !word.startsWith('-'))
  const second = args[at + 1] ?? ''
  if (at < 0 || args[at] !== 'mcp' || second === '') return { args }
  const before = args.slice(0, at)
  const rest = args.slice(at + 2)
  switch (second) {
    case 'launch':
      return older(args, [...before, 'mcp', 'start', ...rest], 'mcp start')
    case 'daemon':
      return older(args, [...before, 'up', '--detach', ...rest], 'up --detach')
    case 'add':
      return namedFirst(args, before, rest)
    default:
      return isCommand(second, subcommands) ? { args } : threeWords(args, before, [second, ...rest])
  }
}

/** A subcommand, or one that was mistyped: `mcp cal` is no server called `cal`. */
function isCommand(word: string, subcommands: ReadonlySet<string>): boolean {
  return [...subcommands].some((name) => editDistance(word, name, 1) <= 1)
}

/** `mcp slack send-message`: a tool, by its server and its name. */
function threeWords(
  args: readonly string[],
  before: readonly string[],
  [server = '', tool = '', ...rest]: readonly string[],
): Spelling {
  if (![server, tool].every((word) => /^[a-z0-9]/i.test(word))) return { args }
  const node = `mcp-${server}-${tool}`
  return older(args, [...before, node, ...rest], node)
}

function older(was: readonly string[], args: readonly string[], now: string): Spelling {
  const said = was.filter((word) => !word.startsWith('-')).slice(0, now.startsWith('mcp-') ? 3 : 2)
  return {
    args,
    note: `\`cordon ${said.join(' ')}\` is an older spelling; write \`cordon ${now}\``,
  }
}

/** `mcp add --name weather …`: the name is the first argument now. */
function namedFirst(
  args: readonly string[],
  before: readonly string[],
  rest: readonly string[],
): Spelling {
  const end = rest.indexOf('--')
  const at = rest.findIndex(
    (word, index) => /^--name(?:=|$)/.test(word) && (end < 0 || index < end),
  )
  if (at < 0) return { args }
  const [, inline] = /^--name=(.*)$/s.exec(rest[at] ?? '') ?? []
  const name = inline ?? rest[at + 1] ?? ''
  const others = rest.toSpliced(at, inline === undefined ? 2 : 1)
  const note = '`cordon mcp add --name NAME` is an older spelling; write `cordon mcp add NAME`'
  return { args: [...before, 'mcp', 'add', name, ...others], note }
}
