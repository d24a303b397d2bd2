/**
 * Finds one version of everything that a package needs, so that all requirements hold: the newest version first, and an
 * older one where a later requirement does not accept it (backtracking). An extra is a package of its own that needs the
 * plain one in the same version. Asks for pages and metadata by the given functions; does no I/O itself.
 */
import { Unfit } from '../install/unfit.ts'
import { evaluateMarker, type MarkerEnvironment } from './evaluate-marker.ts'
import { JobError } from './job-error.ts'
import type { Metadata } from './metadata.ts'
import type { Requirement } from './requirement.ts'
import { accepts, isExact, namesPreRelease, type Specifier } from './specifier.ts'
import { isPreRelease, spellVersion, type Version } from './version.ts'

/** A version of a package that this machine can use. */
export interface Candidate {
  readonly name: string
  readonly version: Version
  readonly isYanked: boolean
  /** Published so lately that it is taken only where it was asked for by name. */
  readonly isYoung: boolean
}

export interface Source<C extends Candidate> {
  /** Newest first; throws `Unfit` where there is none. */
  candidates(name: string): Promise<readonly C[]>
  metadata(candidate: C): Promise<Metadata>
}

export interface Wish {
  readonly name: string
  readonly extras: readonly string[]
  readonly specifiers: readonly Specifier[]
}

interface Needed {
  readonly specifiers: readonly Specifier[]
  readonly by: string
}

type Needs = ReadonlyMap<string, readonly Needed[]>

interface State<C> {
  readonly needs: Needs
  readonly picks: ReadonlyMap<string, C>
}

const MOST_STEPS = 3000
const MOST_PACKAGES = 400

export async function resolve<C extends Candidate>(
  wish: Wish,
  source: Source<C>,
  environment: MarkerEnvironment,
): Promise<readonly C[]> {
  const trouble = createTrouble()

  const fitting = async (key: string, wanted: readonly Needed[]): Promise<readonly C[]> => {
    const all = await trouble.tolerate(source.candidates(plain(key)))
    if (!all) return []
    const found = fit(all, wanted, plain(key) === wish.name)
    if (found.length === 0) trouble.note(sayConflict(plain(key), wanted))
    return found
  }
  const join = async (
    key: string,
    candidate: C,
    state: State<C>,
  ): Promise<State<C> | undefined> => {
    const metadata = await trouble.tolerate(source.metadata(candidate))
    if (!metadata) return undefined
    const picks = new Map([...state.picks, [key, candidate]])
    const needs = joinNeeds({ ...state, picks }, needsOf(key, candidate, metadata, environment))
    if (typeof needs !== 'string') return { needs, picks }
    trouble.note(needs)
    return undefined
  }
  const go = async (state: State<C>): Promise<State<C> | undefined> => {
    const open = [...state.needs.keys()].find((key) => !state.picks.has(key))
    if (open === undefined) return state
    trouble.count(state.picks.size)
    for (const candidate of await fitting(open, state.needs.get(open) ?? [])) {
      trouble.count(0)
      const next = await join(open, candidate, state)
      const found = next && (await go(next))
      if (found) return found
    }
    return undefined
  }

  const first = { specifiers: wish.specifiers, by: 'you' }
  const needs = new Map(keysOf(wish).map((key) => [key, [first]] as const))
  const found = await go({ needs, picks: new Map() })
  if (!found) throw trouble.told()
  return [...found.picks].filter(([key]) => key === plain(key)).map(([, candidate]) => candidate)
}

/** Why versions were passed over: the first reason is told if none is left. */
function createTrouble() {
  let first: Unfit | undefined
  let steps = 0
  const told = (): Unfit =>
    first ?? new JobError('bad-package', 'the packages it needs contradict each other')
  return {
    told,
    note(why: string): void {
      first ??= new JobError('bad-package', why)
    },
    count(packages: number): void {
      steps += 1
      if (packages > MOST_PACKAGES) throw new Unfit(`it needs more than ${MOST_PACKAGES} packages`)
      if (steps > MOST_STEPS) throw told()
    },
    /** A version that cannot be used is passed over for an older one. */
    async tolerate<T>(asked: Promise<T>): Promise<T | undefined> {
      try {
        return await asked
      } catch (error) {
        if (!(error instanceof Unfit) || isFatal(error)) throw error
        first ??= error
        return undefined
      }
    },
  }
}

/** Neither a broken connection nor a forged file is a reason to try another version. */
function isFatal(error: Unfit): boolean {
  return error instanceof JobError && !['no-such-package', 'bad-package'].includes(error.problem)
}

function sayConflict(name: string, wanted: readonly Needed[]): string {
  const by = [...new Set(wanted.map((one) => one.by))].slice(0, 4).join(', ')
  return `no version of ${JSON.stringify(name)} fits what ${by} asks for`
}

/** `name[extra]` → `name`. */
function plain(key: string): string {
  return key.split('[')[0] ?? ''
}

function keysOf({ name, extras }: Pick<Wish, 'name' | 'extras'>): readonly string[] {
  return [name, ...extras.map((extra) => `${name}[${extra}]`)]
}

function fit<C extends Candidate>(
  all: readonly C[],
  wanted: readonly Needed[],
  isChosen: boolean,
): readonly C[] {
  const specifiers = wanted.flatMap((one) => one.specifiers)
  const accepted = all.filter(({ version }) => accepts(specifiers, version))
  const named = accepted.filter(
    (one) =>
      (!one.isYanked || isExact(specifiers)) && (!one.isYoung || isChosen || isExact(specifiers)),
  )
  const released = named.filter(({ version }) => !isPreRelease(version))
  return namesPreRelease(specifiers) || released.length === 0 ? named : released
}

/** The requirements of a candidate that hold here, by key. */
function needsOf(
  key: string,
  { name, version }: Candidate,
  { requires }: Metadata,
  environment: MarkerEnvironment,
): readonly (readonly [string, Needed])[] {
  const [, extra = ''] = /\[(.+)\]$/.exec(key) ?? []
  const by = JSON.stringify(name)
  const held = requires.filter((one) => isHeld(one, environment, extra))
  const direct = held.find(({ isDirect }) => isDirect)
  if (direct)
    throw new Unfit(
      `${JSON.stringify(direct.name)}, which it needs, comes from elsewhere than the index`,
    )
  const own = held.flatMap((one) =>
    keysOf(one).map((each) => [each, { specifiers: one.specifiers, by }] as const),
  )
  return extra === '' ? own : [[name, { specifiers: [exactly(version)], by }], ...own]
}

/** With an extra, only what that extra adds. */
function isHeld({ marker }: Requirement, environment: MarkerEnvironment, extra: string): boolean {
  if (marker === undefined) return extra === ''
  const isPlain = evaluateMarker(marker, environment)
  return extra === '' ? isPlain : !isPlain && evaluateMarker(marker, environment, extra)
}

function exactly(version: Version): Specifier {
  return { operator: '===', version: { ...version, text: version.text }, isPrefix: false }
}

/** A sentence if one of them does not accept what was picked already. */
function joinNeeds<C extends Candidate>(
  { needs, picks }: State<C>,
  more: readonly (readonly [string, Needed])[],
): Needs | string {
  const joined = new Map(needs)
  for (const [key, needed] of more) {
    const picked = picks.get(key)
    if (picked && !accepts(needed.specifiers, picked.version)) {
      return `${needed.by} does not take ${JSON.stringify(`${key} ${spellVersion(picked.version)}`)}, which another package asks for`
    }
    joined.set(key, [...(joined.get(key) ?? []), needed])
  }
  return joined
}
