/** Cuts text to a length. Only for text that is already clean: half a secret is no longer recognised as one. */
export function cutText(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1).toWellFormed()}…`
}
