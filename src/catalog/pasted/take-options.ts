/** Splits a command into its leading options and the words after them. Pure. */

interface TakenOptions {
  readonly options: readonly { readonly name: string; readonly value?: string }[]
  readonly rest: readonly string[]
}

/** `takesValue`: options that take the next word as value, unless the value is joined by `=`. */
export function takeOptions(words: readonly string[], takesValue: RegExp): TakenOptions {
  const options: { name: string; value?: string }[] = []
  let at = 0
  for (let word = words[0]; word?.startsWith('-') === true; word = words[at]) {
    at += 1
    const joined = word.indexOf('=')
    if (joined > 0) options.push({ name: word.slice(0, joined), value: word.slice(joined + 1) })
    else if (takesValue.test(word)) options.push({ name: word, value: words[at++] ?? '' })
    else options.push({ name: word })
  }
  return { options, rest: words.slice(at) }
}
