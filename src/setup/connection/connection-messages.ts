/** All messages of a connection to a person. Untrusted text arrives here sanitised: short, one line, no secrets. */
import type { CredentialNeed, Service } from '../../kernel/service-facts.ts'
import type { AcquirePrompt } from './acquirer.ts'

const FORM_PORT = '19275'

interface AskingPlace {
  readonly isChat: boolean
  readonly isRemote: boolean
  /** Link to the form on this machine in which the credential can be entered. */
  readonly form?: string
}

export function askFor(service: Service, need: CredentialNeed, place: AskingPlace): string {
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

export function askToSignIn(prompt: AcquirePrompt): string {
  return prompt.kind === 'device'
    ? `Open this link and enter the code:\n🔗 ${prompt.url}\n📋 Code: ${prompt.code}`
    : `Open this link to sign in:\n🔗 ${prompt.url}`
}

export const SIGN_IN_FAILED = 'OAuth failed. Send the token directly instead.'

export function connecting({ title }: Service, hasCredential: boolean): string {
  return `${hasCredential ? 'Credential stored. ' : ''}Connecting to ${title}...`
}

/** `isTested`: the credentials, if there are any, passed a test call. */
export function connected({ title }: Service, tools: number, isTested: boolean): string {
  const doubt = isTested
    ? ''
    : '\nNothing it offers is safe to try, so the token is not tested yet.'
  return `✓ ${title} connected. ${tools} ${tools === 1 ? 'tool' : 'tools'} available.${doubt}`
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

export function cancelled({ title }: Service): string {
  return `${title} setup cancelled.`
}

export function timedOut({ title, slug }: Service): string {
  return `${title} setup timed out after 10 minutes. Say 'connect ${slug}' to start again.`
}

export function notStored(reason: string): string {
  return `Failed to store credential. ${sentence(reason)}`.trimEnd()
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

function sentence(text: string): string {
  return text === '' || /[.!?]$/.test(text) ? text : `${text}.`
}
