/** The words for an effect in a question: what the call does, and whether that can be undone. */
import type { Effect } from '../../kernel/effect.ts'

interface EffectWords {
  readonly action: string
  readonly undoing: string
}

export const EFFECT_WORDS: Readonly<Record<Effect, EffectWords>> = {
  'local-read': { action: 'Read with', undoing: 'It changes nothing.' },
  'remote-read': {
    action: 'Ask',
    undoing: 'It changes nothing; what is asked is told to the server.',
  },
  write: {
    action: 'Change something with',
    undoing: 'It may be possible to undo there; Cordon cannot.',
  },
  destructive: {
    action: 'Change or delete something with',
    undoing: 'It may not be possible to undo.',
  },
  exec: { action: 'Run commands with', undoing: 'It cannot be undone.' },
}
