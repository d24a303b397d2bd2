/** The label of a text that was pasted into a message: it may be anybody's. */
import { type Label, OWN_WORDS } from '../labels/label.ts'

export const PASTED_LABEL: Label = { ...OWN_WORDS, integrity: 'external', level: 'sensitive' }
