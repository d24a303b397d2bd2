/**
 * What is odd about the addresses and names in an argument: the domain behind an address, letters of another alphabet
 * that pass for Latin ones, characters that cannot be seen. Pure.
 */
import { domainToUnicode } from 'node:url'
import { disguiseOf } from '../../text/look-alike.ts'
import { holdsUnseen } from '../../text/untrusted-text.ts'

const URLS = /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s<>"']+/giu
/** Begun only where a word begins: else a long text without an “@” is read anew from each of its letters. */
const MAILS = /(?<![^\s<>"'@,;:()[\]])[^\s<>"'@,;:()[\]]+@[^\s<>"'@,;:()[\]/]+/gu
const SENTENCE_END = /(?<![.!?])[.!?]+$/

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
