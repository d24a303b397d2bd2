/** Names that are one particular typing mistake away from a known one, as imitations often are. Pure. */
import { editDistance } from '../text/edit-distance.ts'

/** Two neighbours in the wrong order, and nothing else. */
export function isSwapOf(name: string, known: string): boolean {
  return (
    name.length === known.length &&
    sorted(name) === sorted(known) &&
    editDistance(name, known) === 1
  )
}

/** One letter doubled, or one of a pair left out, and nothing else. */
export function isDoublingOf(name: string, known: string): boolean {
  return name !== known && editDistance(name, known) === 1 && single(name) === single(known)
}

function sorted(name: string): string {
  return Array.from(name).sort().join('')
}

function single(name: string): string {
  return name.replace(/(.)\1+/gu, '$1')
}
