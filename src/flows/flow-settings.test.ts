/** The owner's limits for runs: whole numbers in a range, and a mistake that is told instead of followed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { FLOW_SETTINGS, parseFlowSettings } from './flow-settings.ts'

test('a setting that is given counts, and the others stay as they are', () => {
  assert.deepEqual(parseFlowSettings(undefined), { settings: FLOW_SETTINGS, mistakes: [] })
  const { settings, mistakes } = parseFlowSettings({ keep_days: 7, runs_at_once: 4 })
  assert.deepEqual(mistakes, [])
  assert.deepEqual(settings, { ...FLOW_SETTINGS, keepDays: 7, runsAtOnce: 4 })
})

test('a mistake is told in a sentence, and the default counts', () => {
  const table = { max_steps: 0, max_calls: '5', keep_days: 1.5, runs_at_onc: 3 }
  const { settings, mistakes } = parseFlowSettings(table)
  assert.deepEqual(settings, FLOW_SETTINGS)
  assert.deepEqual(mistakes, [
    'max_steps in [flows] of config.toml has to be a whole number from 1 to 1000000',
    'max_calls in [flows] of config.toml has to be a whole number from 1 to 1000000',
    'keep_days in [flows] of config.toml has to be a whole number from 1 to 3650',
    '"runs_at_onc" in [flows] of config.toml is no setting: did you mean runs_at_once?',
  ])
  assert.deepEqual(parseFlowSettings('fast').mistakes.length, 1)
})
