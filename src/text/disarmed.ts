/** Says what was made harmless in a call's arguments: counts and argument names in the host's words, never their text. */

/** The places of one argument in which untrusted text was made harmless. */
export interface Disarmed {
  readonly arg: string
  /** Links that can no longer be followed, and remote references that were taken out. */
  readonly links: number
  /** Account, card and telephone numbers that were left out. */
  readonly numbers: number
}

/** An argument that holds untrusted text, in which links are to be disarmed before it is sent. */
export interface GuardedArgument {
  readonly name: string
  /** The receiver shows it as HTML. */
  readonly isHtml: boolean
  /** The server whose own text goes back to it and stays as it is; absent if the tool passes it on to people. */
  readonly spares?: string
}

export interface Guards {
  readonly guard?: readonly GuardedArgument[]
}

/** `3 links disarmed, 1 number left out in "body"`. */
export function showDisarmed(disarmed: readonly Disarmed[]): string {
  return disarmed.map(showOne).join('; ')
}

function showOne({ arg, links, numbers }: Disarmed): string {
  const parts = [
    ...(links > 0 ? [`${counted(links, 'link')} disarmed`] : []),
    ...(numbers > 0 ? [`${counted(numbers, 'number')} left out`] : []),
  ]
  return `${parts.join(', ')} in ${JSON.stringify(arg)}`
}

function counted(count: number, what: string): string {
  return count === 1 ? `1 ${what}` : `${count} ${what}s`
}
