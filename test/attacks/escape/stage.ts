/** The setting of an attempt that only the host can judge. */
import type { Canaries } from './canaries.ts'
import type { Contender, ContenderName } from './contenders.ts'

export interface Stage {
  readonly name: ContenderName
  readonly contender: Contender
  readonly canaries: Canaries
  /** A text in the command line of every process that the attempt starts, to find them again; unique to the attempt. */
  readonly mark: string
}
