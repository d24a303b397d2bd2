/**
 * The labels of a tool's answer, given those of its arguments. A call never lowers a label: the server can repeat what
 * it was told, so the answer is at least as confidential as every argument; and untrusted text that says what to look
 * up chooses the answer, so an id in it is no longer the service's own choice.
 */
import { isTrusted, joinLabels, type Label, later, LEVELS } from './label.ts'
import { chosenTree, type LabelTree, raiseTree } from './label-tree.ts'

export interface GivenArgument {
  readonly label: Label
  /** Whether the argument decides what the answer is about: a path, a URL, a query, an id. */
  readonly looksUp: boolean
}

export function answerTree(answer: LabelTree, given: Iterable<GivenArgument>): LabelTree {
  let told: Label | undefined
  let chooser: Label | undefined
  for (const { label, looksUp } of given) {
    const { level, origins } = label
    const one: Label = { integrity: 'user', level, origins }
    told = told ? joinLabels(told, one) : one
    if (looksUp && !isTrusted(label)) chooser = chooser ? joinLabels(chooser, label) : label
  }
  const raised = told ? raiseTree(answer, told) : answer
  return chooser ? chosenTree(raised, asChooser(chooser)) : raised
}

/** A chosen answer may hold any data of the owner, so its level is at least sensitive. */
function asChooser(label: Label): Label {
  return { ...label, level: later(LEVELS, label.level, 'sensitive') }
}
