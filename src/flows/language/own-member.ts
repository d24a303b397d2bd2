/** Looks up a member by an untrusted name. Finds own members only, so `constructor` finds nothing inherited. */
export function ownMember<T>(record: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined
}
