/** One line of `cordon doctor`: the thing checked, the verdict, and the remedy. */
export interface DoctorCheck {
  readonly name: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly finding: string
  /** The command or step that mends it; absent when all is well. */
  readonly remedy?: string
}
