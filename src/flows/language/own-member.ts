/** Members of objects whose names others chose: `constructor` is a name like any other, and nothing is inherited. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
