/** A place in a JSON answer, as the catalog and the owner write it: `items[*].id`, `[*].owner.id`. Pure. */

/** One step down: a member by its name, or each of all members. */
export type FieldStep = { readonly kind: 'name'; readonly name: string } | { readonly kind: 'each' }

const STEP = /\.?([A-Za-z_$][\w$-]*)|\[\*\]/y

/** Undefined where it is no path. */
export function parseFieldPath(text: string): readonly FieldStep[] | undefined {
  const steps: FieldStep[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < text.length) {
    const isFirst = STEP.lastIndex === 0
    const found = STEP.exec(text)
    if (!found) return undefined
    const [whole, name] = found
    // A dot stands between steps, never before the first.
    if (name !== undefined && whole.startsWith('.') === isFirst) return undefined
    steps.push(name === undefined ? { kind: 'each' } : { kind: 'name', name })
  }
  return steps.length > 0 ? steps : undefined
}
