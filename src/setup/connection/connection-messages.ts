/** All messages of a connection to a person. Untrusted text arrives here sanitised: short, one line, no secrets. */
import { hostsQuestion, hostsTried } from '../../text/hosts-question.ts'
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import type { KeySource } from '../../kernel/vault-status.ts'
import { accessChoices, type Chosen } from '../places/places.ts'
import type { AcquirePrompt, NotAcquired } from './acquirer.ts'
import type { Identity, Offer } from './connection.ts'

const FORM_PORT = '19275'

interface AskingPlace {
  readonly isChat: boolean
  readonly isRemote: boolean
  /** Link to the form on this machine in which the credential can be entered. */
  readonly form?: string
  /** The folders or the file that were named, if it is asked whether they may be changed. */
  readonly chosen?: Chosen
}

const SEVERAL = 'Send its path, such as ~/notes; several with commas between them.'
const ONE_FILE = 'Send its path, such as ~/data/shop.db; it is made if there is none.'

function askForPlace({ title }: Service, { place }: CredentialNeed, asking: AskingPlace): string {
  const isHere = asking.form !== undefined && !asking.isRemote
  const form = isHere ? `\nOr enter it here: ${asking.form}` : ''
  const question = placeQuestion(title, place)
  if (place === 'folders') return `${question} ${SEVERAL}${form}`
  if (place === 'file') return `${question} ${ONE_FILE}${form}`
  const choices = asking.chosen ? Object.entries(accessChoices(asking.chosen)) : []
  const lines = choices.map(([word, means]) => `  ${word}: ${means}`)
  return [question, ...lines, 'Answer read or write.'].join('\n')
}

function placeQuestion(title: string, place: CredentialNeed['place']): string {
  if (place === 'folders') return `Which folder may ${title} use?`
  return place === 'file' ? `Which database file may ${title} use?` : 'May it change what is there?'
}

/** The question alone, for a page on which its answers have fields and buttons. */
export function questionSentence({ title }: Service, need: CredentialNeed): string {
  if (need.place !== undefined) return placeQuestion(title, need.place)
  return `Your ${title} ${need.title} is needed.`
}

export function noPlace(fault: string): string {
  return `I cannot use ${fault}. Send another answer, or the same again once that is mended, or 'cancel'.`
}

export function askFor(service: Service, need: CredentialNeed, place: AskingPlace): string {
  if (need.place !== undefined) return askForPlace(service, need, place)
  const where = need.where === undefined ? '' : ` ${sentence(need.where)}`
  const first = `I need your ${service.title} ${need.title}.${where}`
  if (need.secret === undefined) return `${first} Send it here.`
  const promise = place.isChat ? " I'll delete the message immediately." : ''
  if (place.form === undefined) return `${first} Paste it here.${promise}`
  if (!place.isRemote) {
    return `${first}\nEnter your ${need.title} securely: ${place.form}\nOr just paste it here.${promise}`
  }
  const port = URL.parse(place.form)?.port || FORM_PORT
  return `${first}\nPaste it here, in a private chat only.${promise}\nTo keep it out of the chat, run \`ssh -L ${port}:localhost:${port} …\` to the machine of Cordon and open ${place.form}`
}

/** After signing in on another machine the browser ends at an address of that machine, where nothing answers. */
const PASTE_BACK =
  'If the browser ends at a page that cannot be reached, as on a phone or over ssh, paste the address of that page here.'

export function askToSignIn(prompt: AcquirePrompt): string {
  return prompt.kind === 'device'
    ? `Open this link and enter the code:\n🔗 ${prompt.url}\n📋 Code: ${prompt.code}`
    : `Open this link to sign in:\n🔗 ${prompt.url}\n${PASTE_BACK}`
}

interface NextWay {
  /** No other way to sign in is left, so a typed token is asked for. */
  readonly isLast: boolean
  /** The service is known to take a typed token. */
  readonly isTyped: boolean
}

export function signInFailed(
  { title, slug }: Service,
  { reason, next }: NotAcquired,
  { isLast, isTyped }: NextWay,
): string {
  const why = `Signing in to ${title} failed: ${sentence(reason)}`
  if (!isLast) return why
  const again = `say 'connect ${slug}' to try again`
  const remedy = next === undefined ? capitalized(again) : `${next}, then ${again}`
  const other = isTyped ? '' : ` If you have a token for it, send that instead; or 'cancel'.`
  return `${why} ${remedy}.${other}`
}

export function connecting({ title }: Service, hasCredential: boolean): string {
  return `${hasCredential ? 'Credential stored. ' : ''}Connecting to ${title}...`
}

interface Proof {
  /** The credentials, if there are any, passed a test call. */
  readonly isTested: boolean
  readonly identity: Identity | undefined
}

export function connected(
  { title, slug }: Service,
  tools: number,
  { isTested, identity }: Proof,
): string {
  const doubt = isTested
    ? ''
    : '\nNothing it offers is safe to try, so the token is not tested yet.'
  const name = title.toLowerCase() === slug ? '' : `\nConnected as \`${slug}\`.`
  return `✓ ${title} connected. ${tools} ${tools === 1 ? 'tool' : 'tools'} available.${name}${who(slug, identity)}${doubt}`
}

/** A browser that is still signed in gives the account of last time again. */
function who(slug: string, identity: Identity | undefined): string {
  if (!identity) return ''
  const { account, sharedWith } = identity
  const told = `\nThe provider says that the account is ${JSON.stringify(account)}.`
  if (sharedWith.length === 0) return told
  const names = sharedWith.map((server) => `\`${server}\``).join(' and ')
  return `${told} That is the account of ${names}, too: for another one, sign out of it in the browser, then run \`cordon connect ${slug} --again\`.`
}

export function tokenRefused({ title }: Service, need: CredentialNeed, reason: string): string {
  return `The ${title} ${need.title} doesn't work (${reason}). Send a new ${need.title}, or 'cancel'.`
}

export function givenUp({ title }: Service, attempts: number, reason: string): string {
  return `${title} setup failed after ${attempts} attempts: ${reason}. Cancelled.`
}

export function notStarted({ title }: Service, reason: string): string {
  return `Failed to start ${title} server: ${reason}`
}

/** After `notStarted`. */
export function kept({ slug }: Service): string {
  return `.\nIt is kept as \`${slug}\`, disabled: \`cordon mcp logs ${slug}\` shows what it wrote, \`cordon mcp edit ${slug}\` changes it, \`cordon connect ${slug}\` tries again.`
}

/** The question behind which stands the consequence, in plain words. */
export function offerQuestion({ title, slug }: Service, offer: Offer): string {
  if (offer.kind === 'memory') return `Give ${title} up to ${offer.limit} of memory?`
  return hostsQuestion(slug, offer.hosts)
}

export function offered(service: Service, offer: Offer): string {
  return offer.kind === 'memory'
    ? `${service.title} needs more memory than it was given.`
    : hostsTried(service.title, offer.hosts)
}

/** The command that does what a no refused, for later. */
export function declined({ slug }: Service, offer: Offer): string {
  if (offer.kind === 'memory')
    return `\`cordon connect ${slug} --memory ${offer.limit}\` gives it more`
  return `\`cordon connect ${slug} --allow ${offer.hosts.join(' ')}\` lets it reach that`
}

/** `key`: as the server named it in its last words, or, as a guess, the README of its package. */
export function settingMissing(
  { title }: Service,
  key: string,
  { isSecret, isGuess }: { readonly isSecret: boolean; readonly isGuess: boolean },
): string {
  const how = isSecret ? 'Paste it here' : 'Send it here'
  const why = isGuess
    ? `${title} ended and named nothing that it lacks; its README has people set ${key}`
    : `${title} says that it needs ${key}`
  return `${why}. ${how}, or 'cancel'; ${title} is given what you enter.`
}

export function cancelled({ title }: Service): string {
  return `${title} setup cancelled.`
}

export function timedOut({ title, slug }: Service, isChat: boolean): string {
  const again = isChat ? `Say 'connect ${slug}'` : `Run \`cordon connect ${slug}\``
  return `${title} setup timed out after 10 minutes. ${again} to start again.`
}

export function notStored(reason: string): string {
  return `Failed to store credential. ${sentence(reason)}`.trimEnd()
}

/** After the default was taken because nobody could be asked. */
export function vaultMade(source: KeySource | undefined): string {
  if (source === 'keychain')
    return 'There was no vault yet, so I made one. Its key is in your keychain.'
  return 'There was no vault yet, so I made one with its key in a file beside it: whoever can read this home can read its secrets. `cordon vault rotate --passphrase` protects them with a passphrase.'
}

export const NOT_DELETED = "⚠️ Couldn't delete your token message. Delete it manually."

/** For a token that was sent in pieces, or with words around it. */
export function inPieces(need: CredentialNeed): string {
  return `That ${need.title} has spaces or line breaks in it, so I did not store it. Send only the ${need.title}, in one piece, or 'cancel'.`
}

export function noWay(need: CredentialNeed, fault: string): string {
  return `That ${need.title} ${fault}, so I did not store it. Send another, or 'cancel'.`
}

export function othersReadAlong({ title }: Service, need: CredentialNeed): string {
  return `Others read along here, so I did not store that. Treat it as known to them: make a new ${title} ${need.title} and send it in a private chat.`
}

export function wrongToken({ title }: Service, need: CredentialNeed, other: string): string {
  return `That looks like a token of ${other}, so I did not store it. I am waiting for your ${title} ${need.title}; or say 'cancel'.`
}

export function notASetting({ title }: Service, need: CredentialNeed): string {
  return `That looks like a token, so I did not keep it. I asked for the ${need.title} of ${title}; or say 'cancel'.`
}

export function busy({ title }: Service): string {
  return `I am still connecting ${title}, so I did not store that.`
}

/** The reason that goes with `notStored` after a restart. */
export const CUT_SHORT = 'I was restarted before it was there; send it again'

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}
