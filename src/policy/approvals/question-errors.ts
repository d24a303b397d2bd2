/** The reasons for refusing an answer, as errors. A refused answer never lets a call run. */
import { CordonError, type ErrorSpec } from '../../kernel/error.ts'

const LIST = 'Run `cordon approvals list` to see what is open'

export type Problem =
  | 'unknown'
  | 'not-owner'
  | 'answered'
  | 'expired'
  | 'void'
  | 'prefix'
  | 'several-servers'
  | 'no-server'
  | 'not-seen'
  | 'no-offer'

const PROBLEMS: Readonly<Record<Problem, ErrorSpec & { readonly code: string }>> = {
  unknown: {
    code: 'approvals.unknown',
    why: 'there is no such question',
    exit: 2,
    hint: LIST,
  },
  'not-owner': {
    code: 'approvals.not-owner',
    why: 'only the owner of this home may answer',
    exit: 3,
    hint: 'Answer from a terminal or a page of the owner',
  },
  answered: {
    code: 'approvals.answered',
    why: 'it was answered before',
    exit: 3,
    hint: LIST,
  },
  expired: {
    code: 'approvals.expired',
    why: 'nobody answered it in time, which is a no',
    exit: 3,
    hint: 'Do again what asked for it, then answer within five minutes',
  },
  void: {
    code: 'approvals.void',
    why: 'it is void: who asked has gone, or what it was about has changed',
    exit: 3,
    hint: 'Do again what asked for it',
  },
  prefix: {
    code: 'approvals.prefix',
    why: 'each call that may run is named by the first 8 or more digits of its digest, and of exactly one',
    exit: 2,
    hint: 'Copy the digits in brackets from `cordon approvals show ID`',
  },
  'several-servers': {
    code: 'approvals.several-servers',
    why: 'a yes is about the calls of one server, so that none carries those of another along',
    exit: 2,
    hint: 'Answer for each server: `cordon approvals approve ID --server SERVER`',
  },
  'no-server': {
    code: 'approvals.no-server',
    why: 'nothing in it is about this server',
    exit: 2,
    hint: 'Run `cordon approvals show ID` to see which it is about',
  },
  'not-seen': {
    code: 'approvals.not-seen',
    why: 'it holds a long text that is not yours and was not shown in full',
    exit: 3,
    hint: 'Read it with `cordon approvals show ID --full`, then answer',
  },
  'no-offer': {
    code: 'approvals.no-offer',
    why: 'such a permission is not offered for it',
    exit: 2,
    hint: 'Run `cordon approvals show ID` to see what can be allowed',
  },
}

export function cannotAnswer(problem: Problem, id: string): CordonError {
  const spec = PROBLEMS[problem]
  const hint = spec.hint.replace(/\bID\b/, /^[\w-]{1,64}$/.test(id) ? id : 'ID')
  return new CordonError(
    spec.code,
    { ...spec, hint },
    `Cannot answer question ${JSON.stringify(id)}`,
  )
}

export function noSuchGrant(id: string): CordonError {
  return new CordonError(
    'approvals.no-grant',
    { exit: 2, hint: 'Run `cordon grants list`' },
    `Cannot revoke ${JSON.stringify(id)}: there is no such permission`,
  )
}
