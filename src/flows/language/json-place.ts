/** Paths in a JSON document, as text for people: `nodes[2].params.query`. Pure. */
const PLAIN = /^[A-Za-z_][\w-]*$/

export function placeOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((place, step) => within(place, step), '')
}

/** The path of a member of the value at `place`. */
export function within(place: string, step: PropertyKey): string {
  if (typeof step === 'number' || /^\d+$/.test(String(step))) return `${place}[${String(step)}]`
  const name = String(step)
  if (!PLAIN.test(name)) return `${place}[${JSON.stringify(name)}]`
  return place === '' ? name : `${place}.${name}`
}
