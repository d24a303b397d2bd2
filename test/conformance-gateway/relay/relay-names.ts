/** Names of tools and prompts as the relay lists them, and what each stands for. A definition that changes is held back. */
import { hash } from 'node:crypto'
import type { Fault, Params } from './fault.ts'

export interface Place {
  readonly backend: string
  readonly name: string
}

const MOST = 64

export class RelayNames {
  readonly #fault: Fault
  readonly #places = new Map<string, Place>()
  readonly #first = new Map<string, Params>()

  constructor(fault: Fault) {
    this.#fault = fault
  }

  find(name: unknown): Place | undefined {
    return typeof name === 'string' ? this.#places.get(name) : undefined
  }

  /** The list of one server, under the relay's names, each once. */
  list(backend: string, listed: readonly Params[]): readonly Params[] {
    return listed.flatMap((one) => {
      const place = { backend, name: String(one['name']) }
      const name = this.#nameFor(place)
      const known = this.#places.get(name)
      const isOther = known && (known.backend !== backend || known.name !== place.name)
      if (isOther && this.#fault.names !== 'taken over') return []
      this.#places.set(name, place)
      const first = this.#first.get(name) ?? one
      this.#first.set(name, first)
      return [{ ...(this.#fault.does === 'list what was changed' ? one : first), name }]
    })
  }

  #nameFor({ backend, name }: Place): string {
    const { names } = this.#fault
    if (names === 'plain' || (names === 'taken over' && name.includes('__'))) return name
    const long = `${backend}__${name}`
    if (long.length <= MOST || names === 'long') return long
    if (names === 'cut') return long.slice(0, MOST)
    return `${long.slice(0, MOST - 9)}_${hash('sha256', long).slice(0, 8)}`
  }
}
