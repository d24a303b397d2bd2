/** Splits a pasted command line into words, and refuses what only a shell could read. */
import { commandWords } from '../../text/command-words.ts'
import { unreadable } from '../catalog-errors.ts'

const MAX_WORDS = 200

export function splitCommand(pasted: string): readonly string[] {
  const text = pasted.replace(/\\\r?\n/g, ' ')
  if (/[\r\n]/.test(text)) throw unreadable('several lines', 'Paste one line')
  const words = commandWords(text)
  if (words === 'open-quote')
    throw unreadable('a command with an open quote', 'Paste the whole line')
  if (words === 'needs-shell') {
    throw unreadable('a line that needs a shell', 'Paste only the command that starts the server')
  }
  if (words.length > MAX_WORDS) throw unreadable('so long a command', 'Paste a shorter line')
  return words
}
