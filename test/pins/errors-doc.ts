/** Writes docs/errors.md: the frozen codes with their meaning, and the messages and hints found in the source. */
import type { ErrorSite } from './error-sites.ts'
import type { FrozenCode } from './frozen-codes.ts'

const HEAD = `# Errors

<!-- Written by \`npm run docs\` from the source and from test/pins/error-codes.txt. Change those, not this. -->

An error is two lines: what Cordon cannot do, and what you can do about it.

\`\`\`
cordon: error: Cannot lend secret "gitlab"
cordon: hint: Run \`cordon vault unlock\`, then try again
\`\`\`

With \`--json\` it is one object on standard output, \`{"error": {"code", "message", "hint", "exit"}}\`. From TypeScript it is a \`CordonError\` with the same members. The code is stable: go by it in scripts, and not by the words. Names in CAPITALS below stand for what is filled in.

## Exit codes

| exit | means | what to do |
|---|---|---|
| 0 | done | |
| 1 | a bug in Cordon | report it |
| 2 | the command, a file or a setting is not as it has to be | correct it; the same again gives the same error |
| 3 | refused: by the policy, by a check, or by you | read why; nothing was done |
| 4 | locked: the vault, or the home folder is in use | unlock it, or end the other one |
| 5 | something is not available: a server, a network, a disk, a credential | mend it, then try again |

A run of a flow that fails ends its command with 3 where a call was refused, with 2 where an input is missing, and with 5 otherwise.
`

const AREAS: Readonly<Record<string, string>> = {
  approvals: 'Answers to questions',
  audit: 'The audit log',
  call: 'Calls of tools',
  catalog: 'Services, packages and registries',
  channels: 'Telegram',
  cli: 'The command line',
  clients: 'Moving programs in and out',
  contacts: 'The contact book',
  egress: 'Connections to the outside',
  flows: 'Flows and their runs',
  gateway: 'Other programs at the gateway',
  home: 'The home folder',
  inference: 'Models',
  kernel: 'The API',
  main: 'Starting, and use from TypeScript',
  memory: 'Memory',
  notices: 'Notices',
  page: 'The page in the browser',
  pipeline: 'The chat',
  policy: 'The policy',
  sandbox: 'The sandbox',
  servers: 'Servers and their definitions',
  setup: 'Connecting a service',
  store: 'The database',
  vault: 'The vault',
  web: 'The page and its API',
}

export function writeErrorsDoc(frozen: readonly FrozenCode[], sites: readonly ErrorSite[]): string {
  const byCode = Map.groupBy(sites, ({ code }) => code)
  const byArea = Map.groupBy(frozen, ({ code }) => areaOf(code))
  const parts = [...byArea].map(([area, codes]) => {
    const rows = codes.map((one) => rowOf(one, byCode.get(one.code) ?? []))
    return `\n## ${area}\n${NOTES[area] ?? ''}\n| code | exit | message | what it means | hint |\n|---|---|---|---|---|\n${rows.join('')}`
  })
  return HEAD + parts.join('')
}

const NOTES: Readonly<Record<string, string>> = {
  'Calls of tools':
    '\nHow a call failed, as far as Cordon itself saw it: the `code` of `cordon mcp call --json`. Where a server says in its own words what went wrong, there is none.\n',
}

function areaOf(code: string): string {
  const area = AREAS[code.split('.')[0] ?? '']
  if (area === undefined) throw new Error(`errors-doc.ts: what is ${code} about?`)
  return area
}

function rowOf({ code, exits, meaning }: FrozenCode, sites: readonly ErrorSite[]): string {
  const messages = telling(sites.flatMap((site) => site.messages))
  const hints = telling(sites.flatMap((site) => site.hints))
  const message = cellOf(messages) || '…'
  const cells = [`\`${code}\``, exits.join(' or '), message, meaning, cellOf(hints)]
  return `| ${cells.join(' | ')} |\n`
}

const MOST_SHOWN = 4

/** The texts that hold more than placeholders in capitals, at most four. */
function telling(texts: readonly string[]): readonly string[] {
  const said = texts.filter((text) => /[a-z]{2}/.test(text.replace(/[A-Z][A-Z-]+/g, '')))
  return [...new Set(said)].slice(0, MOST_SHOWN)
}

function cellOf(texts: readonly string[]): string {
  return texts.map((text) => escaped(text.split('\n')[0]?.trimEnd() ?? '')).join('<br>')
}

/** Escapes `<` outside backticks, and `|` everywhere, since it would end the table cell even between backticks. */
function escaped(text: string): string {
  const parts = text.replaceAll('|', '\\|').split('`')
  return parts.map((part, at) => (at % 2 === 0 ? part.replaceAll('<', '&lt;') : part)).join('`')
}
