/**
 * Warnings about the addresses and names in an argument: the domain behind an address, homoglyphs (letters of another
 * alphabet that pass for Latin ones), invisible characters. Pure.
 */
import { domainToUnicode } from 'node:url'
import { disguiseOf } from '../../text/look-alike.ts'
import { holdsUnseen } from '../../text/untrusted-text.ts'

const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"']+/giu
/** Matches only from the start of a word: else a long text without an “@” takes quadratic time. */
const MAILS = /(?<![^\s<>"'@,;:()[\]])[^\s<>"'@,;:()[\]]+@[^\s<>"'@,;:()[\]/]+/gu
const SENTENCE_END = /(?<![.!?])[.!?]+$/

/** The domains that a text names, each once: the owner of a domain is behind all its addresses. */
export function domainsIn(text: string): readonly string[] {
  const urls = (text.match(URLS) ?? []).flatMap((url) => hostOf(url) ?? [])
  const mails = (text.replace(URLS, ' ').match(MAILS) ?? []).map((mail) => {
    return mail.slice(mail.lastIndexOf('@') + 1).replace(SENTENCE_END, '')
  })
  return [...new Set([...urls, ...mails].filter(Boolean))]
}

/** Warnings about the addresses in a text; with `isName` the text itself is checked too. */
export function oddities(text: string, isName: boolean): readonly string[] {
  const odd = domainsIn(text).flatMap(oddDomain)
  for (const [url] of text.matchAll(URLS)) {
    if (/^[^/]*\/\/[^/?#]*@/u.test(url))
      odd.push('A web address names a user before the “@”; it leads to what is after it')
  }
  if (isName) odd.push(...text.split(/[\s/@.,;:]+/u).flatMap(oddWord))
  if (isName && holdsUnseen(text)) odd.push('It holds characters that cannot be seen')
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
  const disguise = disguiseOf(word)
  if (!disguise) return []
  const shown = JSON.stringify(word)
  if (disguise.kind === 'mixed')
    return [`${shown} mixes ${disguise.alphabets.join(' and ')} letters`]
  const { alphabet, passesFor } = disguise
  return [`${shown} is written in ${alphabet} letters and can be taken for "${passesFor}"`]
}

function hostOf(url: string): string | undefined {
  try {
    return new URL(url).hostname
  } catch {
    return undefined
  }
}
