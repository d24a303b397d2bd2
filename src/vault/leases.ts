/**
 * The leases that are open. The redactor learns a value before the value is lent; the value is wiped when its lease
 * ends. Locking the vault ends no lease: a lent value stays readable to its holder, and redacted everywhere else.
 */
import type { Lease } from '../kernel/ports.ts'
import type { TeachableRedactor } from './redactor.ts'

export interface Leases {
  /** Takes ownership of the buffers and wipes them when the lease ends. */
  lend(values: ReadonlyMap<string, Buffer>): Lease
  /** Wipes the redactor's copies of all values except those on lease. */
  forgetReturned(): void
}

export function createLeases(redactor: TeachableRedactor): Leases {
  const lent = new Set<ReadonlyMap<string, Buffer>>()
  const teach = (values: ReadonlyMap<string, Buffer>): void => {
    for (const value of values.values()) redactor.learn(value)
  }
  return {
    lend(values): Lease {
      teach(values)
      lent.add(values)
      return {
        value: (key) => valueOf(lent.has(values) ? values.get(key) : undefined, key),
        async [Symbol.asyncDispose](): Promise<void> {
          lent.delete(values)
          wipe(values)
        },
      }
    },
    forgetReturned(): void {
      redactor.forget()
      for (const values of lent) teach(values)
    },
  }
}

export function wipe(values: ReadonlyMap<string, Buffer>): void {
  for (const value of values.values()) value.fill(0)
}

function valueOf(value: Buffer | undefined, key: string): Buffer {
  if (value) return value
  throw new TypeError(`The lease has ended or never held ${JSON.stringify(key)}`)
}
