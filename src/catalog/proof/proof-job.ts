/** The messages between Cordon and its program in the install sandbox that checks archives and proofs. Types only. */

export interface Signature {
  readonly keyid: string
  readonly sig: string
}

export interface ProofJob {
  readonly name: string
  readonly version: string
  /** SHA-512 of the archive. */
  readonly integrity: string
  /** ISO time. */
  readonly publishedAt?: string
  readonly signatures: readonly Signature[]
  readonly hasAttestations: boolean
  /** The address of the registry; ends in `/`. */
  readonly registry: string
  readonly hosts: readonly string[]
  /** Any file of the npm that came with Cordon, whose verifier and trusted keys are used. */
  readonly npmPath: string
  /** For tests: another trusted root than the shipped one. */
  readonly trustedRoot?: object
  /** npm's cache, and the archives in it to look through. */
  readonly cache: string
  readonly archives: readonly FetchedArchive[]
  readonly silenceMs: number
}

export interface FetchedArchive {
  readonly name: string
  readonly integrity: string
  /** False for a package of another platform, and for one that lies in the archive of another. */
  readonly isFetched: boolean
}

/** `npm`: with a key that came with Cordon. `registry`: with a key that only the registry itself vouches for. */
export type SignatureVerdict = 'npm' | 'registry' | 'none' | 'unknown' | 'bad'

export interface Provenance {
  /** `https://github.com/ann/notes` */
  readonly repository: string
  /** `.github/workflows/release.yml` */
  readonly workflow?: string
}

/** An answer that lets the install go on. */
export type Proof = Omit<ProofAnswer, 'unsafe' | 'signature'> & {
  readonly signature: Exclude<SignatureVerdict, 'bad'>
}

export interface ProofAnswer {
  /** An entry of an archive that makes the package unusable, as a clause. */
  readonly unsafe?: string
  readonly signature: SignatureVerdict
  readonly provenance?: Provenance
  /** Why there is no verified provenance although the registry announces one. */
  readonly unproven?: string
}
