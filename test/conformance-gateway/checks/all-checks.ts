/** Every check of the suite, in the order of its table. */
import type { Check } from '../check.ts'
import { FAILURES } from './failures.ts'
import { FEATURES } from './features.ts'
import { HOSTILE } from './hostile.ts'
import { ISOLATION } from './isolation.ts'
import { NAMES } from './names.ts'
import { REFUSALS } from './refusals.ts'

export const CHECKS: readonly Check[] = [
  ...FEATURES,
  ...ISOLATION,
  ...REFUSALS,
  ...NAMES,
  ...FAILURES,
  ...HOSTILE,
]
