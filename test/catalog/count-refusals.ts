/** The line that `npm run test:attacks` prints of a table of hostile cases: `refused 52/52 (wheels)`. */
import { after } from 'node:test'

/** Call the function once for each case that was refused. */
export function countRefusals(kind: string, all: number): () => void {
  let refused = 0
  after(() => console.log(`refused ${refused}/${all} (${kind})`))
  return () => {
    refused += 1
  }
}
