/** Everyday searches for a service find what people want, over the registry's real entries where they are present. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { placeServices, readServiceQueries } from '../fixtures/service-queries.ts'
import { readRealEntries } from '../fixtures/registries.ts'

const skip = !readRealEntries() && 'the real entries of the registry are not here'

test('of forty searches 34 have the wanted answer first, and 38 among ten', { skip }, async () => {
  const placed = (await placeServices(readServiceQueries())) ?? []
  const missed = placed.filter(({ place }) => place > 1).map(({ query, first }) => [query, first])
  const within = (most: number): number => placed.filter(({ place }) => place <= most).length
  assert.equal(placed.length, 40)
  assert.ok(within(1) >= 34, JSON.stringify(missed))
  assert.ok(within(10) >= 38, JSON.stringify(missed))
})
