/**
 * Keeps Telegram from making links, mentions, commands, tags or telephone numbers out of a text: it looks for none in
 * what is marked as code. So nothing that a server wrote can be tapped, except for links that Cordon itself gives.
 */
import type { MessageEntity } from 'grammy/types'

/** Telegram takes up to 100 for a message. */
const MOST = 90
/** Marks a word that could become more than text; a few harmless words too many do no harm. */
const ACTIVE = /[@#$]|:\/\/|^[^\p{L}\p{N}]*\/|[\p{L}\p{N}_-]\.[\p{L}\p{N}_-]|\d[\d()./-]{4,}|\+\d/u

export function quietEntities(text: string, links: readonly string[] = []): MessageEntity[] {
  const found = [...text.matchAll(/\S+/gu)].filter(
    ([word]) => ACTIVE.test(word) && !links.includes(word),
  )
  if (found.length > MOST) return [{ type: 'pre', offset: 0, length: text.length }]
  return found.map(({ index, 0: word }) => ({ type: 'code', offset: index, length: word.length }))
}
