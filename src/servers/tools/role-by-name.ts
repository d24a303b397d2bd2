/**
 * Derives the role of an argument from its name. Only names on these lists can make an argument less strict than a
 * target, so a server gains nothing by inventing names. Pure; the last word decides, as in an English compound noun.
 */
import type { Role } from '../../kernel/tool-facts.ts'
import { nameTokens, singular } from '../../text/name-tokens.ts'

const wordsOf = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const CONTENT = wordsOf(`
  body text content title subject message description note comment summary markdown html caption reply detail
  reason memo remark headline heading paragraph abstract agenda feedback bio greeting thought observation
  date time datetime deadline duration timezone location
`)
const QUERY = wordsOf('query q search keyword filter term question')
const AMOUNT = wordsOf('amount price sum quantity total cost fee budget payment salary')
const LOCATOR = wordsOf(`
  url uri href link host hostname domain website webhook endpoint callback redirect ip proxy
`)
/** The id of a link is an identifier, not an address, so it is a target instead of a locator. */
const ID = wordsOf('id ids key uuid guid slug ref identifier')
const TARGET = wordsOf(`
  recipient to cc bcc from sender email mail address participant attendee invitee guest member assignee owner user
  username handle phone number contact group team channel room conversation iban account card bank
  path file filename folder directory destination source target parent repo repository branch project
  workspace permission role scope visibility access password token secret credential command cmd code script sql
  expression function selector status state type name
`)

/** Beside one of these words a content name is a destination: `parent_comment`, `save_location`. */
const STEERING = wordsOf('to parent reply save target destination output thread after before')

/** Undefined if no word of the name is on a list. */
export function roleByName(name: string): Role | undefined {
  const words = nameTokens(name).map(singular)
  const last = words.at(-1) ?? ''
  if (CONTENT.has(last)) return words.some((word) => STEERING.has(word)) ? 'target' : 'content'
  if (ID.has(last)) return 'target'
  if (words.some((word) => LOCATOR.has(word))) return 'locator'
  if (TARGET.has(last)) return 'target'
  if (words.some((word) => AMOUNT.has(word))) return 'amount'
  return words.some((word) => QUERY.has(word)) ? 'query' : undefined
}
