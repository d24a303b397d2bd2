/**
 * Chooses the profiles that may be asked, in order: the named or active one, then its fallbacks. None is chosen that is
 * cleared for less than what is asked; secrets are for no model. Pure.
 */
import { isAbove, type Level } from '../labels/label.ts'
import type { ModelQuestion } from '../ports/model-port.ts'
import type { Problem } from '../text/problem.ts'
import { DEFAULT, type ModelProfile, PROFILE_NAME, type Profiles } from './model-profiles.ts'

export type Choice =
  | { readonly kind: 'profiles'; readonly profiles: readonly ModelProfile[] }
  | { readonly kind: 'none'; readonly problem: Problem }

export function chooseProfiles(
  profiles: Profiles,
  active: string | undefined,
  { profile: named, level }: Pick<ModelQuestion, 'profile' | 'level'>,
): Choice {
  const wanted = profiles.get(named ?? active ?? '')
  if (!wanted) return { kind: 'none', problem: noProfile(profiles, named) }
  // Without a level the door has decided for the clearance of this profile, so no other may be cleared for less.
  const least = level ?? wanted.clearance
  const chain = [wanted, ...fallbacksOf(profiles, wanted)]
  // A level leads on to a model that may read it, unless the caller insists on one profile.
  const others = level !== undefined && named === undefined ? localFirst(profiles, chain) : []
  const cleared = [...chain, ...others].filter(({ clearance }) => !isAbove(least, clearance))
  if (cleared.length > 0) return { kind: 'profiles', profiles: cleared }
  return { kind: 'none', problem: notCleared(least) }
}

/** Each once, also where fallbacks name each other. */
function fallbacksOf(profiles: Profiles, wanted: ModelProfile): readonly ModelProfile[] {
  const seen = new Set([wanted.name])
  const found: ModelProfile[] = []
  const queue = [...wanted.fallback]
  for (const name of queue) {
    const profile = profiles.get(name)
    if (!profile || seen.has(name)) continue
    seen.add(name)
    found.push(profile)
    queue.push(...profile.fallback)
  }
  return found
}

/** Those outside the chain: asked only if nobody in the chain may read it. */
function localFirst(profiles: Profiles, chain: readonly ModelProfile[]): readonly ModelProfile[] {
  const rest = [...profiles.values()].filter((profile) => !chain.includes(profile))
  return rest.toSorted((a, b) => Number(b.isLocal) - Number(a.isLocal))
}

export function noProfile(profiles: Profiles, named?: string): Problem {
  const name = named !== undefined && PROFILE_NAME.test(named) ? named : DEFAULT
  const isMissing = profiles.size > 0 && named !== undefined
  return {
    code: 'inference.no-model',
    message: isMissing
      ? `There is no model profile ${JSON.stringify(named)}`
      : profiles.size > 0
        ? 'No model profile is the active one'
        : 'No model is set up',
    hint:
      profiles.size > 0 && !isMissing
        ? 'Run `cordon profiles use NAME`'
        : `Run \`cordon profiles add ${name}\`, or add [models.${name}] to config.toml as docs/models.md shows`,
  }
}

function notCleared(level: Level): Problem {
  const isSecret = level === 'secret'
  const cloud =
    level === 'sensitive' ? ', or let a cloud model read it as docs/models.md describes' : ''
  return {
    code: 'inference.not-cleared',
    message: `No model may read what is ${level}`,
    hint: isSecret
      ? 'Ask without it: secrets go to no model'
      : `Add a model on this machine with \`cordon profiles add home --url http://127.0.0.1:11434/v1\`${cloud}`,
  }
}
