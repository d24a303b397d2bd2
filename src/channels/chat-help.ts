/** The commands of the chat: as `help` lists them, and as the Tab key completes them. Pure. */
import { alignColumns } from '../text/align-columns.ts'
import { editDistance } from '../text/edit-distance.ts'

/** Typed with a slash, or as a bare word where nothing follows. */
const SLASH: readonly (readonly [usage: string, about: string])[] = [
  ['/connect NAME', 'connect a service, for example: /connect notion'],
  ['/tools [WORDS]', 'the tools I can use; /tools notion shows those of one server'],
  ['/flows', 'the flows you saved; `run NAME` runs one'],
  ['/save NAME', 'keep the last plan that worked as a flow'],
  ['/memory', 'the facts that I keep; /memory help says what can be done with them'],
  ['/audit [N]', 'the last decisions about calls, and how they ended'],
  ['/profiles', 'the models I may ask, and their use today; /profiles use NAME'],
  ['/help', 'this list'],
]

const WORDS: readonly (readonly [usage: string, about: string])[] = [
  ['list', 'the servers and how they are'],
  ['remove NAME', 'stop a server and forget it, with its credentials'],
  ['status', 'how Cordon is'],
  ['notices', 'what you should know; `notices seen` marks it as seen'],
  ['packages', 'what is installed, and how to remove what no server uses'],
  ['updates', 'ask the registry for newer and withdrawn versions'],
  ['upgrade NAME', 'see what a newer version would change, and take it'],
  ['remember that …', 'keep a fact, for example: remember that my dentist is Dr. Adeyemi'],
  ['schedules', 'what runs by itself; `run NAME every weekday at 8` adds a saved flow'],
  ['watches', 'what I look at again and again; `tell me when FILE changes` adds one'],
  ['unlock', 'open the vault, with its passphrase'],
  ['SERVER.TOOL a=1', 'call a tool, for example: notion.search query="plan"'],
  ['', 'a path may begin with ~/ if the server was given a folder there'],
  ['exit', 'leave'],
]

const SENTENCES: readonly (readonly [usage: string, about: string])[] = [
  ['npx …, a URL or {"mcpServers": …}', 'connect what is pasted'],
  ['take the tools of NAME as they say', 'see what they claim, and take it'],
  ['mark NAME.TOOL read', 'say what one tool does'],
]

export const CHAT_HELP: string = [
  'Say what you want in your own words, for example: list the files in ~/notes',
  '',
  ...alignColumns([...SLASH, ...WORDS]),
  '',
  ...alignColumns(SENTENCES),
].join('\n')

const NAMES: readonly string[] = SLASH.map(([usage]) => usage.split(' ')[0] ?? '')

/** The commands that begin with this text; none unless it begins with a slash. */
export function completeCommand(text: string): readonly string[] {
  return text.startsWith('/') ? NAMES.filter((name) => name.startsWith(text.toLowerCase())) : []
}

/** How a command that lacks its argument is used: `/connect` alone. */
export function usageOf(name: string): string | undefined {
  const found = SLASH.find(([usage]) => usage.startsWith(`${name} `))
  return found && `Type ${found[0]}: ${found[1]}.`
}

/** For a command with one typing mistake. A path such as `/etc` is further from all of them. */
export function meantCommand(text: string): string | undefined {
  const word = text.trim().toLowerCase()
  if (!word.startsWith('/')) return meantWord(text.trim())
  if (!/^\/[a-z]{3,12}$/.test(word)) return undefined
  const meant = NAMES.find((name) => editDistance(word, name, 1) === 1)
  return meant && `There is no command ${word}. Did you mean ${meant}?`
}

/** Commands that are words. Shorter ones are too near to other words. */
const SPELLED = ['connect', 'disconnect', 'status', 'notices', 'packages', 'updates', 'schedules']
const WITH_NAME = new Set(['connect', 'disconnect'])

/** `conect notion`; a sentence that only begins with such a word is left to the planner. */
function meantWord(text: string): string | undefined {
  const [first = '', ...rest] = text.split(/\s+/)
  const meant = SPELLED.find((word) => editDistance(first.toLowerCase(), word, 1) === 1)
  const isWhole =
    meant !== undefined && (WITH_NAME.has(meant) ? rest.length === 1 : rest.length === 0)
  if (!isWhole || /^(?:connects|connected|package|update|notice|schedule)$/i.test(first))
    return undefined
  return `There is no command ${JSON.stringify(first)}. Did you mean \`${[meant, ...rest].join(' ')}\`?`
}
