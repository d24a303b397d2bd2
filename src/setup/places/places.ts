/** Folders and files of this machine that a server may use, as a person named them. Data only. */

export interface Places {
  /** Shown to the sandbox, read-only. */
  readonly read: readonly string[]
  readonly write: readonly string[]
  /** The database file, which lies in one of them; the server's last argument. */
  readonly file?: string
  /** The consequence, as a sentence for people. */
  readonly means: string
}

/** Paths that a person chose, until they say whether the server may change them. */
export interface Chosen {
  readonly paths: readonly string[]
  /** As people write them: `~/notes and ~/plans`. */
  readonly shown: string
  readonly isFile: boolean
}

/** An answer to a question about places, looked up on this machine. */
export type PlaceReading =
  | { readonly kind: 'chosen'; readonly chosen: Chosen }
  | { readonly kind: 'places'; readonly places: Places }
  /** Completes "I cannot use that: …". */
  | { readonly kind: 'fault'; readonly fault: string }

export type Access = 'read' | 'write'

export function parseAccess(text: string): Access | undefined {
  const word = text.trim().toLowerCase().replace(/[.!]$/, '')
  if (/^(?:r|read|read[- ]only|no)$/.test(word)) return 'read'
  return /^(?:w|write|yes)$/.test(word) ? 'write' : undefined
}

/** The two answers to whether a server may change what it is shown, with what each means. */
export function accessChoices({ shown, isFile }: Chosen): Readonly<Record<Access, string>> {
  return isFile
    ? {
        read: `it can read ${shown} and what lies beside it, and change nothing`,
        write: `it can change ${shown} and anything else in its folder, where SQLite keeps its journal`,
      }
    : {
        read: `it can read everything below ${shown}, and change nothing`,
        write: `it can change and delete anything below ${shown}`,
      }
}
