/** One line of `cordon doctor`: what was looked at, how it stands, and what to do about it. */
export interface DoctorCheck {
  readonly name: string
  readonly verdict: 'ok' | 'warn' | 'fail'
  readonly finding: string
  /** The command or step that mends it; absent when all is well. */
  readonly remedy?: string
}
