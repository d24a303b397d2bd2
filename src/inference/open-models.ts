/**
 * The owner's models, asked one question at a time. Each is reached at its own host and nowhere else. A profile that
 * fails often or has spent its budget is passed over for the next one that may read the same. The log is told which
 * profile answered, how long it took and how much it used, and never a word of a question or an answer.
 */
import { createHash } from 'node:crypto'
import type { CallFailure, FailedCall } from '../kernel/call-failure.ts'
import { canonicalJson } from '../text/json.ts'
import { LEVELS, type Level } from '../labels/label.ts'
import type { ModelAnswer, ModelQuestion, Models, ModelUsage } from '../ports/model-port.ts'
import type { Log, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Problem } from '../text/problem.ts'
import { askProfile, failureOf } from './ask-profile.ts'
import { chooseProfiles } from './choose-profiles.ts'
import { type Circuits, createCircuits } from './circuits.ts'
import { type FetchDeps, fetchFor } from './fetch-for.ts'
import { DEFAULT, type ModelProfile, type Profiles } from './model-profiles.ts'
import { type DailyUsage, openUsage } from './open-usage.ts'

export interface OwnedModels extends Models {
  /** Why the profile cannot be asked; undefined if it can. */
  problem(profile?: string): Problem | undefined
  /** Asks this profile, also if it failed often, and no other. */
  askOnly(profile: ModelProfile, question: ModelQuestion, signal: AbortSignal): Promise<ModelAnswer>
}

export interface ModelDeps extends FetchDeps {
  readonly profiles: Profiles
  /** The profile that is asked where none is named; `default` if absent. */
  readonly active?: string | undefined
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  readonly log: Log
  /** Absent: as long as these models are open. */
  readonly usage?: DailyUsage
  readonly circuits?: Circuits
}

type Fetch = typeof globalThis.fetch

interface Asking extends ModelDeps {
  /** One for each profile, so that connections are used again. */
  readonly fetchOf: (profile: ModelProfile) => Fetch
  readonly usage: DailyUsage
  readonly circuits: Circuits
}

export function openModels(given: ModelDeps): OwnedModels {
  const { profiles, log, active = DEFAULT } = given
  const fetches = new Map<string, Fetch>()
  const deps: Asking = {
    ...given,
    fetchOf(profile) {
      const fetch = fetches.get(profile.name) ?? fetchFor(given, profile)
      fetches.set(profile.name, fetch)
      return fetch
    },
    usage: given.usage ?? openUsage({ log, now: Date.now }),
    circuits: given.circuits ?? createCircuits(Date.now),
  }
  const all = [...profiles.values()]
  return {
    clearance: lowest(all.map(({ clearance }) => clearance)),
    isLocal: all.length > 0 && all.every(({ isLocal }) => isLocal),
    pin: pinOf(all, active),
    problem(profile) {
      const choice = chooseProfiles(profiles, active, profile === undefined ? {} : { profile })
      return choice.kind === 'none' ? choice.problem : undefined
    },
    async ask(question, signal) {
      const choice = chooseProfiles(profiles, active, question)
      if (choice.kind === 'none') return failureOf(choice.problem)
      return await askInOrder(deps, choice.profiles, question, signal)
    },
    askOnly: (profile, question, signal) => askAndTell(deps, profile, question, signal),
  }
}

async function askInOrder(
  deps: Asking,
  profiles: readonly ModelProfile[],
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  let failure: FailedCall | undefined
  for (const profile of profiles) {
    const passedOver = degraded(deps.circuits, profile)
    if (passedOver) {
      failure ??= failureOf(passedOver)
      continue
    }
    let isShown = false
    const onPiece =
      question.onPiece &&
      ((piece: string) => {
        isShown = true
        question.onPiece?.(piece)
      })
    const answer = await askAndTell(
      deps,
      profile,
      { ...question, ...(onPiece && { onPiece }) },
      signal,
    )
    // A second answer is not begun below half of a first one.
    if (answer.kind === 'said' || isShown || !mayAskNext(answer)) return answer
    failure = answer
  }
  return failure ?? failureOf(NONE)
}

const NONE: Problem = {
  code: 'inference.no-model',
  message: 'No model is set up',
  hint: 'Run `cordon profiles add default`',
}

async function askAndTell(
  deps: Asking,
  profile: ModelProfile,
  question: ModelQuestion,
  signal: AbortSignal,
): Promise<ModelAnswer> {
  const { log, usage, circuits } = deps
  const spent = await usage.spent(profile)
  if (spent) return failureOf(spent)
  const began = performance.now()
  const count = async (used: ModelUsage): Promise<void> => {
    question.onUsage?.(used)
    await usage.add(used)
  }
  const fetch = deps.fetchOf(profile)
  const answer = await askProfile({ ...deps, fetch, count }, profile, question, signal)
  const level = question.level === undefined ? {} : { level: question.level }
  if (answer.kind === 'said') {
    circuits.answered(profile.name)
    log.info('A model answered', { ...answer.usage, ...level })
    return answer
  }
  noteFailure(circuits, profile, answer)
  const ms = Math.round(performance.now() - began)
  const told = { profile: profile.name, model: profile.model, code: answer.code, ms }
  log.warn('A model did not answer', { ...told, ...level })
  return answer
}

/** Failures of the provider, which another provider need not have. */
const PASSING: ReadonlySet<string> = new Set<CallFailure>([
  'call.lost',
  'call.rate-limited',
  'call.server-error',
  'call.timeout',
  'call.unreachable',
])

function isPassing({ code = '' }: FailedCall): boolean {
  return PASSING.has(code) || code === 'egress.unreachable'
}

function mayAskNext(failure: FailedCall): boolean {
  return isPassing(failure) || failure.code === 'inference.budget'
}

function noteFailure(circuits: Circuits, { name }: ModelProfile, failure: FailedCall): void {
  if (!isPassing(failure)) return
  circuits.failed(name)
  const { retryAfterSeconds } = failure
  if (retryAfterSeconds !== undefined) circuits.pause(name, retryAfterSeconds * 1000)
}

function degraded(circuits: Circuits, { name }: ModelProfile): Problem | undefined {
  const until = circuits.openUntil(name)
  if (until === undefined) return undefined
  const seconds = Math.max(1, Math.ceil((until - Date.now()) / 1000))
  return {
    code: 'inference.degraded',
    message: `The model profile ${JSON.stringify(name)} failed lately and is left alone for another ${seconds} s`,
    hint: `Run \`cordon profiles test ${name}\` to try it now, or \`cordon profiles use NAME\` for another one`,
  }
}

function lowest(levels: readonly Level[]): Level {
  return LEVELS.find((level) => levels.includes(level)) ?? 'internal'
}

function pinOf(profiles: readonly ModelProfile[], active: string): string {
  const told = profiles.map(({ name, url, model, isLocal, clearance }) => [
    name,
    url.href,
    model,
    isLocal,
    clearance,
  ])
  const sorted = told.sort(([a], [b]) => (String(a) < String(b) ? -1 : 1))
  const text = canonicalJson(active === DEFAULT ? sorted : [active, ...sorted])
  return createHash('sha256').update(text).digest('hex')
}
