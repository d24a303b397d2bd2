/** Whether a sentence can be English, by its letters and its smallest words. Pure. */

const OTHERS = new Set(
  `der die das und ich nicht ist mir ein eine bitte zeige wie den dem mit für le les des est une moi je avec dans pour
  el los las una que por mi con está muéstrame il che per di della nel i miei uma meu não os com para het een van mijn
  niet og jeg og att och inte`.split(/\s+/),
)
const ENGLISH = new Set(
  'the a an of to in on for with and is are me my i you it from this that what which who how please show all'.split(
    ' ',
  ),
)

export function isEnglish(text: string): boolean {
  const letters = text.match(/\p{L}/gu) ?? []
  const latin = text.match(/\p{Script=Latin}/gu) ?? []
  if (letters.length > 0 && latin.length < letters.length / 2) return false
  const words = text.toLowerCase().match(/\p{L}+/gu) ?? []
  const count = (list: ReadonlySet<string>): number => words.filter((word) => list.has(word)).length
  return count(OTHERS) < 2 || count(ENGLISH) >= count(OTHERS)
}
