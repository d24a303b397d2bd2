/** Maps the members of a record. A member may have any name: `__proto__` stays an ordinary member. */
export function mapRecord<A, B>(
  record: Readonly<Record<string, A>>,
  make: (member: A, name: string) => B,
): Record<string, B> {
  const made: Record<string, B> = {}
  for (const name of Object.keys(record)) {
    const value = make(record[name] as A, name)
    if (name === '__proto__') Object.defineProperty(made, name, { value, ...PLAIN })
    else made[name] = value
  }
  return made
}

const PLAIN = { configurable: true, enumerable: true, writable: true } as const
