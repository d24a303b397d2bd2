import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Json } from '../../text/json.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { RevealToken } from '../../labels/reveal-token.ts'
import type { Path } from '../language/references.ts'
import {
  EMPTY_STORE,
  type FlowStore,
  inputKey,
  scopeOf,
  withInputs,
  withOutputs,
} from './store-view.ts'

const value = (json: Json): Labelled => new Labelled(json, { label: OWN_WORDS })
const nodes = new Set(['search', 'again'])
function seen(store: FlowStore, ...path: Path): Json | undefined {
  const found = scopeOf(store, nodes)(path)
  return found && Labelled.reveal(found, RevealToken.issue())
}

test('a step’s outputs are there by their natural key and under the step', () => {
  const outputs = { result: value([1]), total: value(1) }
  const store = withOutputs(EMPTY_STORE, { node: 'search', outputs })
  assert.deepEqual(seen(store, 'result'), [1])
  assert.equal(seen(store, 'search', 'result', 0), 1)
  assert.equal(seen(store, 'search', 'nothing'), undefined)
  assert.equal(seen(EMPTY_STORE, 'result'), undefined)
})

test('of two steps of a kind the later counts by key, and each is kept under its id', () => {
  const one = withOutputs(EMPTY_STORE, { node: 'search', outputs: { result: value('a') } })
  const two = withOutputs(one, { node: 'again', outputs: { result: value('b') } })
  assert.equal(seen(two, 'result'), 'b')
  assert.equal(seen(two, 'search', 'result'), 'a')
  assert.equal(seen(one, 'result'), 'a')
})

test('a mapping names the key of the store, for reading and for writing', () => {
  const mapping = { input_mappings: { message: 'summary' }, output_mappings: { result: 'hits' } }
  assert.equal(inputKey(mapping, 'message'), 'summary')
  assert.equal(inputKey(mapping, 'channel'), 'channel')
  assert.equal(inputKey(mapping, 'constructor'), 'constructor')
  const store = withOutputs(EMPTY_STORE, {
    node: 'search',
    mapping,
    outputs: { result: value(1) },
  })
  assert.equal(seen(store, 'hits'), 1)
  assert.equal(seen(store, 'result'), undefined)
  assert.equal(seen(store, 'search', 'result'), 1)
})

test('no step overwrites what the flow was given', () => {
  const given = withInputs(EMPTY_STORE, { channel: value('#mine') })
  const store = withOutputs(given, { node: 'search', outputs: { channel: value('#theirs') } })
  assert.equal(seen(store, 'channel'), '#mine')
  assert.equal(seen(store, 'search', 'channel'), '#theirs')
})

test('no step writes what is reserved', () => {
  const given = withInputs(EMPTY_STORE, { stdin: value('piped') })
  const store = withOutputs(given, {
    node: 'search',
    outputs: { stdin: value('forged'), __run: value(1) },
  })
  assert.equal(seen(store, 'stdin'), 'piped')
  assert.equal(seen(store, '__run'), undefined)
})

test('the name of a step means the step, also before it ran', () => {
  const store = withInputs(EMPTY_STORE, { search: value({ result: 'not the step' }) })
  assert.equal(seen(store, 'search', 'result'), undefined)
})
