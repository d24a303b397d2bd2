/** The confidentiality of what a server is told: for its answer to this call, and for every later one. */
import { joinLabels, type Label, later, type Level, LEVELS, OWN_WORDS } from './label.ts'
import { isHeldBy, viaOrigin } from './via-origin.ts'

/** The join of all these labels. Without a bound: a value made of bounded ones is not bounded itself. */
export function joinedLabel(labels: Iterable<Label>): Label {
  const { bound: _of, ...label } = [...labels].reduce(joinLabels, OWN_WORDS)
  return label
}

/**
 * Joined into the label of an answer it raises level and origins, and leaves integrity and bound to the author of the
 * answer. Undefined for no labels.
 */
export function toldLabel(args: Iterable<Label>): Label | undefined {
  let told: Label | undefined
  for (const { level, origins } of args) {
    const one: Label = { integrity: 'user', level, origins }
    told = told ? joinLabels(told, one) : one
  }
  return told
}

/**
 * The label of a server's later answers, because of the labels of what it is told now. Undefined if it is told nothing
 * confidential but its own data and the owner's words.
 */
export function toldTo(server: string, args: Iterable<Label>): Label | undefined {
  let level: Level = 'public'
  let origins: Set<string> | undefined
  for (const told of args) {
    if (told.level === 'public' || told.origins.size === 0) continue
    for (const origin of told.origins) {
      if (isHeldBy(origin, server)) continue
      level = later(LEVELS, level, told.level)
      origins = (origins ?? new Set()).add(viaOrigin(origin, server))
    }
  }
  return origins && { integrity: 'user', level, origins }
}
