/** Parses the head of a step: `ns/name@version as id`, or the three words `mcp SERVER TOOL`. */
import type { Cursor } from './cursor.ts'
import type { Step } from './flow-text.ts'
import { Refusal } from './problem.ts'
import { isBare, isFlag, type Word } from './tokens.ts'

type StepName = Pick<Step, 'name' | 'version' | 'id' | 'at'>

const NAME = /^([A-Za-z0-9][\w.-]*(?:\/[A-Za-z0-9_][\w.-]*)*)(?:@([A-Za-z0-9][\w.+-]*))?$/
/** The syntax of a node id in the IR. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/
const LONGEST = 200

export function readStepName(cursor: Cursor): StepName {
  const first = takeFirst(cursor)
  const text = isBare(first, 'mcp') ? readThreeWords(cursor) : first.text
  const [, name, version] = text.length > LONGEST ? [] : (NAME.exec(text) ?? [])
  if (name === undefined) throw badName(first)
  const id = isBare(cursor.peek(), 'as') ? readId(cursor) : undefined
  return {
    name,
    ...(version !== undefined && { version }),
    ...(id !== undefined && { id }),
    at: first.at,
  }
}

function takeFirst(cursor: Cursor): Word {
  const first = cursor.take()
  if (first?.kind === 'word' && !isFlag(first)) return first
  throw new Refusal({
    at: first?.at ?? cursor.end,
    code: 'flows.dangling',
    message: 'Cannot find a node before this',
    hint: 'Start with the name of a node; `cordon registry list` shows them all',
  })
}

function readThreeWords(cursor: Cursor): string {
  const words = ['server', 'tool'].map(() => {
    const word = cursor.take()
    if (word?.kind === 'word' && !isFlag(word)) return word.text
    throw new Refusal({
      at: word?.at ?? cursor.end,
      code: 'flows.bad-name',
      message: 'Cannot read this name: "mcp" stands before a server and one of its tools',
      hint: 'Write `mcp SERVER TOOL`, or the name of a node; `cordon registry list` shows them all',
    })
  })
  return `mcp-${words.join('-')}`
}

function readId(cursor: Cursor): string {
  cursor.take()
  const word = cursor.take()
  if (word?.kind === 'word' && ID.test(word.text)) return word.text
  throw new Refusal({
    at: word?.at ?? cursor.end,
    code: 'flows.bad-name',
    message: 'Cannot use this as the name of a step',
    hint: 'Write 1 to 64 letters, digits, "-" or "_" after "as"',
  })
}

function badName({ at, text }: Word): Refusal {
  const hint = /\s/.test(text)
    ? "Put quotes around the whole flow or around values only: cordon 'a --key VALUE >> b'"
    : 'Write [namespace/]name[@version]; `cordon registry list` shows all nodes'
  return new Refusal({ at, code: 'flows.bad-name', message: 'Cannot read this as a node', hint })
}
