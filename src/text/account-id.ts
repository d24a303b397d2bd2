/** The id of a server that is one of several accounts, from the words that connected it. Pure. */

/** `Notion as Work` is `notion-work`; any other text is only trimmed and folded to lower case. */
export function accountId(words: string): string {
  const name = words.trim().toLowerCase()
  const [, service, account] = /^(\S+) as (?:my )?(\S+)(?: account)?$/.exec(name) ?? []
  if (service === undefined || account === undefined) return name
  return `${service}-${account.replace(/[^a-z0-9_]+/g, '-').replace(/[-_]+$/, '')}`
}
