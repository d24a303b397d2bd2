/** Notices as text for a terminal. Their texts may hold untrusted words, so each is printed as one printable line. */
import type { Notice } from '../../api/notices.ts'
import { type Output, printableLine } from '../output.ts'

export function noticeLines(
  {
    what,
    hint,
    count,
    text,
  }: Pick<Notice, 'what' | 'hint'> & Partial<Pick<Notice, 'count' | 'text'>>,
  output: Output,
): readonly string[] {
  const times = count === undefined || count === 1 ? '' : ` (${count} times)`
  const result = text === undefined ? [] : text.split('\n').map((one) => `  ${printableLine(one)}`)
  return [
    output.paint('yellow', `! ${printableLine(what)}${times}`),
    ...result,
    `  ${printableLine(hint)}`,
  ]
}
