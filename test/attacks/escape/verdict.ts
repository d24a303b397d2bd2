/** The verdict on an attempt is always an observation: an attempt that broke down by itself was not blocked. */

/** The user that Cordon runs as. */
export type Kind = 'root' | 'user'

export type Verdict =
  | { readonly kind: 'got'; readonly what: string }
  /** `by`: the errno, the proxy's answer, or the observation that shows the attempt was stopped. */
  | { readonly kind: 'stopped'; readonly by: string }
  /** The attempt itself did not work, so it proves nothing. */
  | { readonly kind: 'failed'; readonly why: string }

/** Every attempt is made in one or more ways, each with its own verdict. */
export type Verdicts = Readonly<Record<string, Verdict>>

export type Outcomes = Readonly<Record<number, Verdicts>>

export interface EscapeReport {
  readonly ours: Outcomes
  readonly naive: Outcomes
}

export function got(what: string): Verdict {
  return { kind: 'got', what: what.slice(0, 200) }
}

export function stopped(by: string): Verdict {
  return { kind: 'stopped', by: by.slice(0, 200) }
}

export function failed(why: string): Verdict {
  return { kind: 'failed', why: why.slice(0, 500) }
}
