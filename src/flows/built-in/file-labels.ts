/** The label of a file's content: any author, and internal to the owner. */
import { FILES } from '../../kernel/built-in-tools.ts'
import type { Label } from '../../labels/label.ts'

export const FILE_LABELS: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set([FILES]),
}
