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
  | 'no-grant'

const PROBLEMS: Readonly<Record<Problem, readonly [string, ErrorSpec]>> = {
  unknown: ['there is no such question', { exit: 2, hint: LIST }],
  'not-owner': [
    'only the owner of this home may answer',
    { exit: 3, hint: 'Answer from a terminal or a page of the owner' },
  ],
  answered: ['it was answered before', { exit: 3, hint: LIST }],
  expired: [
    'nobody answered it in time, which is a no',
    { exit: 3, hint: 'Do again what asked for it, then answer within five minutes' },
  ],
  void: [
    'it is void: who asked has gone, or what it was about has changed',
    { exit: 3, hint: 'Do again what asked for it' },
  ],
  prefix: [
    'each call that may run is named by the first 8 or more digits of its digest, and of exactly one',
    { exit: 2, hint: 'Copy the digits in brackets from `cordon approvals show ID`' },
  ],
  'several-servers': [
    'a yes is about the calls of one server, so that none carries those of another along',
    { exit: 2, hint: 'Answer for each server: `cordon approvals approve ID --server SERVER`' },
  ],
  'no-server': [
    'nothing in it is about this server',
    { exit: 2, hint: 'Run `cordon approvals show ID` to see which it is about' },
  ],
  'not-seen': [
    'it holds a long text that is not yours and was not shown in full',
    { exit: 3, hint: 'Read it with `cordon approvals show ID --full`, then answer' },
  ],
  'no-offer': [
    'such a permission is not offered for it',
    { exit: 2, hint: 'Run `cordon approvals show ID` to see what can be allowed' },
  ],
  'no-grant': ['there is no such permission', { exit: 2, hint: 'Run `cordon grants list`' }],
}

export function cannotAnswer(problem: Problem, id: string): CordonError {
  const [why, { exit, hint }] = PROBLEMS[problem]
  const what = problem === 'no-grant' ? 'revoke' : 'answer question'
  return new CordonError(
    `approvals.${problem}`,
    { exit, hint: hint.replace(/\bID\b/, /^[\w-]{1,64}$/.test(id) ? id : 'ID') },
    `Cannot ${what} ${JSON.stringify(id)}: ${why}`,
  )
}
