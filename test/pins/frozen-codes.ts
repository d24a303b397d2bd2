/** The frozen error codes, each with the exit code of a command that fails with it, and its meaning for a person. */
import { readFileSync } from 'node:fs'

export interface FrozenCode {
  readonly code: string
  /** Several exit codes if the same error code can end a command in several ways. */
  readonly exits: readonly number[]
  readonly meaning: string
}

const LINE = /^([a-z]+\.[a-z-]+) ([1-5](?:\/[1-5])*) (.+\.)$/

/** One code a line: `code exit meaning.` */
export function readFrozenCodes(): readonly FrozenCode[] {
  const text = readFileSync(new URL('error-codes.txt', import.meta.url), 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => {
      const [, code, exits, meaning] = LINE.exec(line) ?? []
      if (!code || !exits || !meaning) throw new Error(`error-codes.txt: cannot read ${line}`)
      return { code, exits: exits.split('/').map(Number), meaning }
    })
}
