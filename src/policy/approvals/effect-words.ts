/** The words for an effect in a question: what the call does, and whether that can be undone. */
import type { Effect } from '../../kernel/effect.ts'

export const ACTIONS: Readonly<Record<Effect, string>> = {
  'local-read': 'Read with',
  'remote-read': 'Ask',
  write: 'Change something with',
  destructive: 'Change or delete something with',
  exec: 'Run commands with',
}

export const UNDOING: Readonly<Record<Effect, string>> = {
  'local-read': 'It changes nothing.',
  'remote-read': 'It changes nothing; what is asked is told to the server.',
  write: 'It may be possible to undo there; Cordon cannot.',
  destructive: 'It may not be possible to undo.',
  exec: 'It cannot be undone.',
}
