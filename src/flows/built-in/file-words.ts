/** How what is read from a file is labelled: it may be anybody's words, and the owner keeps it for himself. */
import { FILES } from '../../kernel/built-in-tools.ts'
import type { Label } from '../../kernel/label.ts'

export const FILE_WORDS: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set([FILES]),
}
