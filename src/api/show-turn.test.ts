import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TurnEvent, TurnNews } from '../ports/turn-port.ts'
import { TurnLines } from './show-turn.ts'

const USAGE = { models: ['tiny'], inputTokens: 1000, outputTokens: 240, cost: 0.0031 }

function shown(news: readonly TurnNews[], isStreamed: boolean) {
  const lines = new TurnLines()
  const events = news.map((one, at): TurnEvent => ({ ...one, number: at + 1 }))
  return events.flatMap((event) => lines.show(event, isStreamed))
}

const pieces = (...texts: readonly string[]): readonly TurnNews[] =>
  texts.map((text) => ({ kind: 'piece', text }))
const answer = (text: string): TurnNews => ({ kind: 'answer', text, isQuestion: false })
const piece = (text: string) => ({ kind: 'piece', text })

test('an answer that came in pieces is not said twice', () => {
  const news = [...pieces('\n ', ' It is', ' four.\n'), answer('It is four.')]
  assert.deepEqual(shown(news, true), [piece('It is'), piece(' four.\n')])
  assert.deepEqual(shown(news, false), ['It is four.'])
})

test('the rest of an answer follows its pieces, and another answer stands apart from them', () => {
  assert.deepEqual(shown([...pieces('It is'), answer('It is four.')], true), [
    piece('It is'),
    piece(' four.'),
  ])
  const other = shown([...pieces('It is'), answer('Run `cordon mcp list`.')], true)
  const note = { kind: 'quiet', text: '(the model did not finish that answer)' }
  assert.deepEqual(other, [piece('It is'), note, 'Say `list`.'])
})

test('the usage of a turn is a remark after its answer; a turn that asked no model has none', () => {
  const spent = { kind: 'quiet', text: 'tiny · 1,240 tokens · $0.0031' }
  const told: TurnNews = { kind: 'answer', text: 'Four.', isQuestion: false, usage: USAGE }
  assert.deepEqual(shown([told], true), ['Four.', spent])
  assert.deepEqual(shown([...pieces('Four.'), told], true), [piece('Four.'), spent])
  assert.deepEqual(shown([answer('Four.')], true), ['Four.'])
})
