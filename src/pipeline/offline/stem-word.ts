/** The crude form under which words of people and names of tools are compared: `deleting` and `deletes` are `delet`. Pure. */
import { singular } from '../../text/name-tokens.ts'

/** Nouns whose stem would be another word. */
const WHOLE = new Set(['listing', 'setting', 'string', 'feed', 'embed'])

export function stemWord(word: string): string {
  const one = singular(word.toLowerCase())
  if (WHOLE.has(one)) return one
  const root = one.replace(/(?:([^aeiou])\1)?(?:ing|ed)$/, '$1')
  const bare = root.length >= 3 && /[aeiouy]/.test(root) ? root : one
  return bare.length > 4 ? bare.replace(/e$/, '') : bare
}
