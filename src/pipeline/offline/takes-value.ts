/** Whether an argument can take a value of a sentence, by the form of the value. Pure. */
import type { ValueToken } from './read-tokens.ts'
import type { ArgumentKind } from './argument-kind.ts'
import type { ArgumentTemplate } from './tool-template.ts'

const TAKES: Readonly<
  Record<Exclude<ValueToken['kind'], 'pair' | 'handle'>, readonly ArgumentKind[]>
> = {
  quoted: ['text', 'title', 'query', 'id', 'path', 'pattern', 'place', 'sql'],
  url: ['url', 'text'],
  email: ['email', 'id'],
  sql: ['sql', 'query', 'text'],
  glob: ['pattern'],
  path: ['path'],
  repo: ['repo', 'owner', 'path', 'id'],
  channel: ['id'],
  number: ['number', 'id'],
  emoji: ['id', 'title', 'text'],
  id: ['id', 'title'],
}

/** Ids that such values can be, by the noun before the id. Other values can be any id. */
const IDS: Readonly<Partial<Record<ValueToken['kind'], ReadonlySet<string>>>> = {
  channel: new Set(['channel']),
  repo: new Set(['project', 'repository']),
  email: new Set(['user', 'contact', 'email', 'mail', 'account', 'person', 'member', 'attende']),
}

export function takesValue({ arg, kind, hints }: ArgumentTemplate, value: ValueToken): boolean {
  if (value.kind === 'handle') return kind !== 'flag'
  if (value.kind === 'pair') return value.key === arg.name
  const ids = kind === 'id' ? IDS[value.kind] : undefined
  return ids ? hints.some((hint) => ids.has(hint)) : TAKES[value.kind].includes(kind)
}
