/**
 * Hints name the command to run in backticks, as it is typed on the command line: `cordon connect notion`. A chat shows
 * the words that can be typed there instead; a command that a chat does not know belongs in a terminal, and is marked so.
 */

const COMMAND = /(\b[Rr]un )?`cordon ([^`]+)`/g

export function inChatWords(text: string): string {
  return text.replaceAll(COMMAND, (_all, run: string | undefined, command: string) => {
    const words = chatWordsFor(command)
    if (words === undefined) return `${run ?? ''}\`cordon ${command}\` in another terminal`
    return `${run === undefined ? '' : run.startsWith('R') ? 'Say ' : 'say '}\`${words}\``
  })
}

const SAME: ReadonlySet<string> = new Set(['status', 'connect', 'notices', 'memory'])
const ALIKE: Readonly<Record<string, string>> = {
  disconnect: 'remove',
  'mcp remove': 'remove',
  'mcp list': 'list',
  'mcp updates': 'updates',
  'mcp upgrade': 'upgrade',
  'vault unlock': 'unlock',
  'vault init': 'unlock',
  'profiles list': '/profiles',
  'profiles use': '/profiles use',
  'tools list': '/tools',
  'flow list': '/flows',
}

function chatWordsFor(command: string): string | undefined {
  if (command.includes(' --')) return undefined // a chat takes no options
  const words = command.split(' ')
  if (SAME.has(words[0] ?? '')) return command.replaceAll('"', '')
  for (const count of [1, 2]) {
    const name = ALIKE[words.slice(0, count).join(' ')]
    if (name !== undefined) return [name, ...words.slice(count)].join(' ')
  }
  return undefined
}
