/** The refusals of the catalog, each with a hint. None of them quotes the pasted text: it may hold a token. */
import { CordonError } from '../kernel/error.ts'

export function unreadable(what: string, hint: string): CordonError {
  return new CordonError('catalog.unreadable', { exit: 2, hint }, `Cannot read ${what}`)
}

export function notInstallable(what: string, hint: string): CordonError {
  return new CordonError('catalog.not-installable', { exit: 2, hint }, `Cannot install ${what}`)
}

export function secretInText(where: string): CordonError {
  return new CordonError(
    'catalog.secret-in-text',
    { exit: 2, hint: 'Paste it again without the token; Cordon asks for that separately' },
    `Cannot use ${where} with a token or password in it`,
  )
}

export function badAddress(problem: string, hint: string): CordonError {
  return new CordonError('catalog.bad-address', { exit: 2, hint }, `Cannot connect ${problem}`)
}

export function badCursor(): CordonError {
  return new CordonError(
    'catalog.bad-cursor',
    { exit: 2, hint: 'Search again from the first page' },
    'Cannot continue this search',
  )
}
