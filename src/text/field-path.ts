/** The path of a field in a JSON answer, as the catalog and the owner write it: `items[*].id`, `[*].owner.id`. Pure. */

/** One step down: the member with this name, or every member. */
export type FieldStep = { readonly kind: 'name'; readonly name: string } | { readonly kind: 'each' }

const STEP = /\.?([A-Za-z_$][\w$-]*)|\[\*\]/y

/** Undefined if the text is not a path. */
export function parseFieldPath(text: string): readonly FieldStep[] | undefined {
  const steps: FieldStep[] = []
  STEP.lastIndex = 0
  while (STEP.lastIndex < text.length) {
    const isFirst = STEP.lastIndex === 0
    const found = STEP.exec(text)
    if (!found) return undefined
    const [whole, name] = found
    // A dot separates steps and never precedes the first one.
    if (name !== undefined && whole.startsWith('.') === isFirst) return undefined
    steps.push(name === undefined ? { kind: 'each' } : { kind: 'name', name })
  }
  return steps.length > 0 ? steps : undefined
}
