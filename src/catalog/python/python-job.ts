/** The messages between Cordon and its program in the install sandbox, which resolves, fetches and unpacks. Types only. */
import type { PythonKind } from './wheel-name.ts'

/** Facts about this machine's python3. */
export interface PythonFacts extends PythonKind {
  /** `3.11.2` */
  readonly full: string
  /** The values of environment markers. */
  readonly markers: Readonly<Record<string, string>>
  /** Names of modules that come with it. */
  readonly standard: readonly string[]
  /** Folders and files in which a pip may lie. */
  readonly pips: readonly string[]
}

export interface PythonJob {
  readonly step: 'resolve' | 'fetch' | 'versions'
  /** The address of the index; ends in `/`. */
  readonly index: string
  /** Hosts with port from which files may come, the index's own first. */
  readonly hosts: readonly string[]
  readonly name: string
  readonly extras: readonly string[]
  /** `==1.2`, or empty. */
  readonly specifiers: string
  readonly python: PythonFacts
  /** Holds fetched wheels, each under its SHA-256. */
  readonly cache: string
  readonly site: string
  /** For `fetch`. */
  readonly wheels: readonly LockedWheel[]
  readonly silenceMs: number
  /** Dependencies published after this time are passed over. */
  readonly youngestAt: number
}

/** One file that is installed. */
export interface LockedWheel {
  readonly name: string
  readonly version: string
  readonly file: string
  readonly url: string
  readonly sha256: string
  /** The SHA-256 of the metadata by which it was chosen. */
  readonly metadata?: string
}

/** The index's claims about the wanted package. Untrusted. */
export interface IndexClaims {
  readonly author?: string
  readonly uploadedAt?: number
  readonly isYanked: boolean
}

export type JobProblem =
  | 'no-such-package'
  | 'vanished'
  | 'bad-package'
  | 'integrity'
  | 'unsafe-package'
  | 'registry-login'
  | 'registry-unreachable'
  | 'registry-certificate'
  | 'disk-full'

export type JobAnswer =
  | {
      readonly kind: 'resolved'
      readonly wheels: readonly LockedWheel[]
      readonly claims: IndexClaims
    }
  | { readonly kind: 'fetched'; readonly refused: readonly string[] }
  | {
      readonly kind: 'versions'
      readonly versions: readonly { readonly version: string; readonly isYanked: boolean }[]
    }
  | { readonly kind: 'problem'; readonly problem: JobProblem; readonly why: string }
