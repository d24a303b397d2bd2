/**
 * Addresses and names that are not what they seem: the domain behind an address, letters of another alphabet that pass
 * for Latin ones, characters that cannot be seen. Pure.
 */
import { domainToUnicode } from 'node:url'
import { foldName } from '../../kernel/fold-name.ts'

const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"']+/giu
/** Begun only where a word begins: else a long text without an “@” is read anew from each of its letters. */
const MAILS = /(?<![^\s<>"'@,;:()[\]])[^\s<>"'@,;:()[\]]+@[^\s<>"'@,;:()[\]/]+/gu
const SENTENCE_END = /(?<![.!?])[.!?]+$/
/** Blank in most fonts although they are letters or marks; format characters are spelled out where text is shown. */
const BLANK = new RegExp(
  [
    '[\\u{ad}\\u{115f}\\u{1160}\\u{200b}-\\u{200f}\\u{2060}-\\u{2064}\\u{2800}\\u{3164}\\u{ffa0}]',
    '[\\u{34f}\\u{17b4}\\u{17b5}\\u{180b}-\\u{180f}\\u{fe00}-\\u{fe0f}]',
    '[\\u{e0000}-\\u{e0fff}]',
  ].join('|'),
  'u',
)
const ALPHABETS = {
  Latin: /\p{sc=Latin}/u,
  Cyrillic: /\p{sc=Cyrillic}/u,
  Greek: /\p{sc=Greek}/u,
  Armenian: /\p{sc=Armenian}/u,
  Hebrew: /\p{sc=Hebrew}/u,
  Cherokee: /\p{sc=Cherokee}/u,
} as const

/** The domains that a text names, each once: behind an address stands whoever has its domain. */
export function domainsIn(text: string): readonly string[] {
  const urls = (text.match(URLS) ?? []).flatMap((url) => hostOf(url) ?? [])
  const mails = (text.replace(URLS, ' ').match(MAILS) ?? []).map((mail) => {
    return mail.slice(mail.lastIndexOf('@') + 1).replace(SENTENCE_END, '')
  })
  return [...new Set([...urls, ...mails].filter(Boolean))]
}

/** What is odd about the addresses in a text; where it is an address or a name itself, also about that. */
export function oddities(text: string, isName: boolean): readonly string[] {
  const odd = domainsIn(text).flatMap(oddDomain)
  for (const [url] of text.matchAll(URLS)) {
    if (/^[^/]*\/\/[^/?#]*@/u.test(url))
      odd.push('A web address names a user before the “@”; it leads to what is after it')
  }
  if (isName) odd.push(...text.split(/[\s/@.,;:]+/u).flatMap(oddWord))
  if (isName && BLANK.test(text)) odd.push('It holds characters that cannot be seen')
  return [...new Set(odd)]
}

function oddDomain(domain: string): readonly string[] {
  const readable = domainToUnicode(domain) || domain
  const odd = readable.split('.').flatMap(oddWord)
  if (readable !== domain)
    odd.unshift(`${JSON.stringify(domain)} is shown as ${JSON.stringify(readable)}`)
  return odd
}

function oddWord(word: string): readonly string[] {
  const alphabets = Object.entries(ALPHABETS).flatMap(([name, one]) =>
    one.test(word) ? [name] : [],
  )
  if (alphabets.length > 1) {
    return [`${JSON.stringify(word)} mixes ${alphabets.join(' and ')} letters`]
  }
  const isForeign = alphabets.length === 1 && alphabets[0] !== 'Latin'
  const passesFor = foldName(word)
  if (!isForeign || !/^[a-z0-9]+$/.test(passesFor)) return []
  return [
    `${JSON.stringify(word)} is written in ${alphabets[0]} letters and can be taken for "${passesFor}"`,
  ]
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname
  } catch {
    return undefined
  }
}
