/** The errors of setup, and the form of an error in a chat. */
import { CordonError } from '../kernel/error.ts'
import { inChatWords } from '../text/in-chat-words.ts'

export const OWNER_ONLY = 'Only the owner of this Cordon can connect services.'

export function noSuchConnection(connection: string): CordonError {
  return new CordonError(
    'setup.unknown-flow',
    { exit: 2, hint: 'Run `cordon connect SERVICE` to start again' },
    `Cannot find connection ${JSON.stringify(connection)}`,
  )
}

export function notAsking(title: string): CordonError {
  return new CordonError(
    'setup.not-asking',
    { exit: 2, hint: 'Wait until it asks, or run `cordon connect SERVICE` to start again' },
    `Cannot take an answer: nothing is asked for ${JSON.stringify(title)} now`,
  )
}

export function notYesOrNo(): CordonError {
  return new CordonError(
    'setup.unusable',
    { exit: 2, hint: 'Answer `yes` or `no`, or `cancel`' },
    'Cannot use that answer: it is neither yes nor no',
  )
}

/** `fault` never repeats the answer. */
export function unusable(title: string, fault: string): CordonError {
  return new CordonError(
    'setup.unusable',
    { exit: 2, hint: 'Copy the whole value again, in one piece, and nothing else' },
    `Cannot use that ${title}: ${fault}`,
  )
}

/** `fault` begins with the path, where there is one. */
export function noPlace(fault: string): CordonError {
  return new CordonError(
    'setup.place',
    { exit: 2, hint: 'Name another one, such as ~/notes' },
    `Cannot use ${fault}`,
  )
}

export function inChat({ message, hint }: CordonError): string {
  return `${sentence(message)} ${sentence(inChatWords(hint))}`
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`
}
