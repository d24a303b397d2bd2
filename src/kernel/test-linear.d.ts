/** Adds up the processor time of what it is given, and fails as soon as that is too much. */
export declare function createMeter(what: string): (work: () => unknown) => void
/** Each piece, repeated until it is so long. Shorter ones come first, so that a square fails before it hangs. */
export declare function assertLinear(
  pieces: readonly string[],
  longest: number,
  work: (text: string) => unknown,
): void
