/** The refusals of memory. None of them repeats a text that was to be kept. */
import { CordonError } from '../kernel/error.ts'

export function notAFact(why: string): CordonError {
  return new CordonError(
    'memory.not-a-fact',
    {
      exit: 2,
      hint: 'Write one sentence, for example: remember that my dentist is Dr. Adeyemi',
      why,
    },
    'Cannot keep the fact',
  )
}

export function isCredential(): CordonError {
  return new CordonError(
    'memory.credential',
    { exit: 3, hint: 'Keep it in the vault: run `cordon vault set NAME` and type it there' },
    'Cannot keep the fact: it looks like a credential, and memory is no place for one',
  )
}

export function memoryFull(most: number): CordonError {
  return new CordonError(
    'memory.full',
    { exit: 5, hint: 'Run `cordon memory list`, and forget facts that you no longer need' },
    `Cannot keep the fact: memory holds ${most} facts, and that is its limit`,
  )
}

export function sameSubject(number: number): CordonError {
  return new CordonError(
    'memory.same-subject',
    { exit: 2, hint: `Run \`cordon memory edit ${number} TEXT\`, or forget one of the two` },
    `Cannot change the fact: fact ${number} is about the same subject`,
  )
}

export function noSuchFact(number: number): CordonError {
  return new CordonError(
    'memory.no-fact',
    { exit: 2, hint: 'Run `cordon memory list` to see the numbers' },
    `Cannot find fact ${number}`,
  )
}

export function noSuchTurn(number: number): CordonError {
  return new CordonError(
    'memory.no-turn',
    { exit: 2, hint: 'Run `cordon memory search WORDS` to see the numbers' },
    `Cannot find turn ${number}`,
  )
}
